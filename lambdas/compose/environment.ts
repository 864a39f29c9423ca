import type { AwsClientOptions } from '#adapters/aws/clients.ts';

/** All variables, for a schema to read. */
export function variables(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** A variable that the stack always sets. */
export function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
}

export function optionalVariable(name: string): string | undefined {
  return process.env[name];
}

/** An emulator names itself the way the SDK expects; on AWS nothing is set. */
export function awsOptions(): AwsClientOptions {
  const endpoint = process.env.AWS_ENDPOINT_URL;
  return endpoint === undefined ? {} : { endpoint };
}
