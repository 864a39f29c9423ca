import { bucketCarrier, toJsonBytes } from '#adapters/aws/carrier.ts';
import { makeAwsClients } from '#adapters/aws/clients.ts';
import { createExtract } from '#adapters/extract/extract.ts';
import { environmentNames } from '#contract/aws-names.ts';
import { extractCallSchema, type Parcel } from '#contract/remote-calls.ts';
import { awsOptions, variable } from './compose/environment.ts';

const carrier = bucketCarrier(makeAwsClients(awsOptions()).s3, variable(environmentNames.buckets.values));
const extract = createExtract();
/** docs/spec/verification.md §4.3. */
const mostFileBytes = 100 << 20;

/** Reads one document, in a worker with a memory bound. */
export async function handler(event: unknown): Promise<Parcel> {
  const { format, bytes } = extractCallSchema.parse(event);
  const document = await carrier.unpack(bytes, mostFileBytes);
  const reply = await extract.extract({ format, bytes: document }, new AbortController().signal);
  return { content: await carrier.pack(toJsonBytes(reply)) };
}
