import type { LanguageModel } from 'ai';
import type { Deployment } from '#service/ports/model-routes.ts';

/**
 * The library's model for a deployment. Providers are imported when first used: the host starts without them.
 * `fetch` is ours, so that size, digests and refusals can be seen.
 */
export async function languageModel(
  deployment: Deployment,
  model: string,
  fetch: typeof globalThis.fetch,
): Promise<LanguageModel> {
  const name = deployment.model ?? model;
  const key = deployment.api_key === undefined ? {} : { apiKey: deployment.api_key };
  switch (deployment.provider) {
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const provider = createOpenAICompatible({
        name: 'deployment',
        baseURL: deployment.base_url,
        supportsStructuredOutputs: true,
        ...key,
        fetch,
      });
      return provider(name);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ baseURL: deployment.base_url, apiKey: deployment.api_key ?? '', fetch })(name);
    }
    case 'bedrock': {
      const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
      const base = deployment.base_url === undefined ? {} : { baseURL: deployment.base_url };
      return createAmazonBedrock({ region: deployment.region, ...base, ...key, fetch })(name);
    }
  }
}
