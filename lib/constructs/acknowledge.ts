import { Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Accepts findings of cdk-nag on this construct and below it, each with its reason: id → reason. */
export function acknowledge(scope: IConstruct, findings: Readonly<Record<string, string>>): void {
  const entries = Object.entries(findings);
  for (const [id, reason] of entries) Validations.of(scope).acknowledge({ id, reason });
}

/** A permission on everything below this ARN, as the findings name it. */
export function wildcardFinding(scope: IConstruct, arn: string): string {
  const resolved: unknown = Stack.of(scope).resolve(arn);
  return `AwsSolutions-IAM5[Resource::${asFindingsWrite(resolved)}]`;
}

function asFindingsWrite(resolved: unknown): string {
  if (typeof resolved === 'string') return resolved;
  const [[intrinsic, given] = []] = Object.entries(resolved ?? {});
  if (intrinsic === 'Ref') return `<${given}>`;
  if (intrinsic === 'Fn::Join') return given[1].map(asFindingsWrite).join(given[0]);
  throw new Error(`no finding is written like this: ${JSON.stringify(resolved)}`);
}
