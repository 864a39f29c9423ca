import type { DispatchPlace } from './dispatches.ts';

/** One HTTP request to a provider (docs/spec/background.md §9). */
export interface DeliveryRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Milliseconds of the whole exchange, redirects included. */
  readonly timeout_ms: number;
  /** An answer of this status is the last one, though it may redirect. */
  readonly expect_status: number | null;
}

export type DeliveryReply =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** Header `retry-after` as sent; null when absent. */
      readonly retry_after: string | null;
      /** The first 64 KiB of the body as text; nothing of it is stored. */
      readonly body: string;
    }
  /** A blocked address, or a redirect to another origin, or too many of them. */
  | { readonly kind: 'rejected' }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'timed_out' };

/** Sends to addresses that were screened (docs/spec/background.md §9.5). Never throws for what the other side does. */
export interface Deliver {
  send(request: DeliveryRequest, signal: AbortSignal): Promise<DeliveryReply>;
}

/** Whoever makes the attempts of dispatches. */
export interface Deliveries {
  /** One attempt of a dispatch that is due, now or soon. What is lost stays due, and the sweep starts it again. */
  start(tenant: string, place: DispatchPlace): Promise<void>;
}
