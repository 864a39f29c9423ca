/** One configured way to reach a model. Keys come from the environment or a secret store, never from a Card. */
export type Deployment =
  | {
      readonly provider: 'openai-compatible' | 'anthropic';
      /** Origin and path prefix, e.g. `https://api.openai.com/v1`. */
      readonly base_url: string;
      /** Used instead of the Prompt's model. */
      readonly model?: string;
      readonly api_key?: string;
    }
  | {
      readonly provider: 'bedrock';
      readonly region: string;
      readonly base_url?: string;
      readonly model?: string;
      /** A Bedrock API key; without it the credentials of the process sign the request. */
      readonly api_key?: string;
    };

export interface ModelRoutes {
  /** Deployment name of `wyrd_gateway` routes → how it is reached (docs/spec/verification.md §4.4). */
  readonly deployments: ReadonlyMap<string, Deployment>;
  /** Provider named by a Prompt → how `native` reaches it. Empty where the host refuses native routes. */
  readonly native: ReadonlyMap<string, Deployment>;
}
