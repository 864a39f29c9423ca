import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { ModelRoute } from '#contract/aws-functions.ts';
import type { Deployment, ModelRoutes } from '#service/ports/model-routes.ts';

interface ConfiguredRoutes {
  readonly deployments: Readonly<Record<string, ModelRoute>>;
  readonly native: Readonly<Record<string, ModelRoute>>;
}

/** A key that was changed in its secret is used after this. Milliseconds. */
const keyLife = 300_000;

/** The configured routes with their keys, read from Secrets Manager and kept for five minutes. */
export function modelRoutes(secrets: SecretsManagerClient, configured: ConfiguredRoutes): () => Promise<ModelRoutes> {
  let kept: { readonly routes: Promise<ModelRoutes>; readonly until: number } | undefined;
  return () => {
    if (kept && kept.until > Date.now()) return kept.routes;
    const routes = readRoutes(secrets, configured);
    kept = { routes, until: Date.now() + keyLife };
    // A secret that cannot be read is asked for again by the next call.
    routes.catch(() => {
      kept = undefined;
    });
    return routes;
  };
}

async function readRoutes(secrets: SecretsManagerClient, configured: ConfiguredRoutes): Promise<ModelRoutes> {
  return {
    deployments: await toDeployments(secrets, configured.deployments),
    native: await toDeployments(secrets, configured.native),
  };
}

async function toDeployments(secrets: SecretsManagerClient, routes: Readonly<Record<string, ModelRoute>>) {
  const entries = Object.entries(routes).map(
    async ([name, route]) => [name, await toDeployment(secrets, route)] as const,
  );
  return new Map(await Promise.all(entries));
}

async function toDeployment(secrets: SecretsManagerClient, route: ModelRoute): Promise<Deployment> {
  const { provider, base_url, region, model, api_key_secret } = route;
  const shared = {
    ...(model === undefined ? {} : { model }),
    ...(api_key_secret === undefined ? {} : { api_key: await readSecret(secrets, api_key_secret) }),
  };
  if (provider !== 'bedrock') return { provider, base_url: base_url ?? '', ...shared };
  return { provider, region: region ?? '', ...(base_url === undefined ? {} : { base_url }), ...shared };
}

async function readSecret(secrets: SecretsManagerClient, id: string): Promise<string> {
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: id }));
  if (SecretString === undefined) throw new Error('the secret of a model route holds no text');
  return SecretString.trim();
}
