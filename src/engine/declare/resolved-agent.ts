import type { Agent } from '#contract/cards/agent.ts';
import type { Prompt } from '#contract/cards/prompt.ts';
import type { CardRef } from '#contract/cards/reference.ts';
import type { ResponseFormat } from './response-format.ts';
import type { Finding } from './types.ts';

export interface ResolvedAgent {
  /** Absent for an inline Agent. */
  readonly ref?: CardRef;
  readonly agent: Agent;
  /** Absent for an inline Prompt. */
  readonly promptRef?: CardRef;
  readonly prompt: Prompt;
  readonly format: ResponseFormat;
}

/** The Agent of a call, or why there is none; then nothing more of the call is checked. */
export type AgentResolution =
  | { readonly agent: ResolvedAgent; readonly problem?: undefined }
  | { readonly agent?: undefined; readonly problem: Omit<Finding, 'path'> };
