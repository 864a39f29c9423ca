import { bucketCarrier, fromJsonBytes, toJsonBytes } from '#adapters/aws/carrier.ts';
import { makeAwsClients } from '#adapters/aws/clients.ts';
import { modelRoutes } from '#adapters/aws/model-routes.ts';
import { toModelRequest } from '#adapters/aws/remote-models.ts';
import { createModels } from '#adapters/models/models.ts';
import { functionEnvironment, modelRoutesSchema } from '#contract/aws-functions.ts';
import { environmentNames } from '#contract/aws-names.ts';
import { modelsCallSchema, type Parcel, parcelSchema } from '#contract/remote-calls.ts';
import { awsOptions, variable } from './compose/environment.ts';

const { s3, secrets } = makeAwsClients(awsOptions());
const carrier = bucketCarrier(s3, variable(environmentNames.buckets.values));
const routes = modelRoutes(secrets, modelRoutesSchema.parse(JSON.parse(variable(functionEnvironment.modelRoutes))));
/** A prompt is 1 MiB of text and 20 MiB of media (docs/spec/verification.md §16.3). */
const mostCallBytes = 48 << 20;

/** One turn with a model. The keys of providers are read here and nowhere else. */
export async function handler(event: unknown): Promise<Parcel> {
  const { content } = parcelSchema.parse(event);
  const call = modelsCallSchema.parse(fromJsonBytes(await carrier.unpack(content, mostCallBytes)));
  const models = createModels(await routes());
  const reply = await models.generate(toModelRequest(call), new AbortController().signal);
  return { content: await carrier.pack(toJsonBytes(reply)) };
}
