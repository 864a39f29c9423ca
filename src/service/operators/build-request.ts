import type { HttpAuth, HttpOperator, OperatorSpec } from '#contract/cards/operator.ts';
import type { Connection } from '../ports/connections.ts';
import type { DeliveryRequest } from '../ports/deliver.ts';
import type { Dispatch } from '../ports/dispatches.ts';
import type { ConnectionSecret } from './connection-secret.ts';
import { renderBody, renderFailure, renderText, renderUrl } from './render.ts';

/** Base URLs of the providers (docs/spec/background.md §9.6); tests have their own. */
export interface ProviderUrls {
  readonly pager_duty: string;
  readonly slack: string;
}

export const providerUrls: ProviderUrls = { pager_duty: 'https://events.pagerduty.com', slack: 'https://slack.com' };

/** What the Operator's connection brings; null for one that names none. */
export interface Credential {
  readonly connection: Connection;
  readonly secret: ConnectionSecret;
}

type Channel = Extract<OperatorSpec, { kind: 'notify' }>['channel'];
type Made = Pick<Dispatch, 'dispatch_id' | 'context'>;

const longestMs = 30_000;
const json = 'application/json; charset=utf-8';

/** The request of one attempt. Throws a RenderFailure for a template that cannot be rendered. */
export function buildRequest(
  spec: OperatorSpec,
  dispatch: Made,
  credential: Credential | null,
  urls: ProviderUrls,
): DeliveryRequest {
  const timeout_ms = timeoutOf(spec);
  if (spec.kind === 'http') return { ...httpRequest(spec, dispatch, credential), timeout_ms };
  const token = credential?.secret.kind === 'token' ? credential.secret.token : '';
  const { channel } = spec;
  const notify = channel.kind === 'slack' ? slackRequest : pagerDutyRequest;
  const { path, headers, body } = notify(channel as never, dispatch, token);
  return {
    method: 'POST',
    url: new URL(path, urls[channel.kind]).href,
    headers: { 'content-type': json, ...headers },
    body: JSON.stringify(body),
    timeout_ms,
    expect_status: null,
  };
}

/** The shortest of thirty seconds, the Operator's own timeout and its budget. */
function timeoutOf(spec: OperatorSpec): number {
  const own = spec.kind === 'http' ? spec.timeout_seconds : undefined;
  const budget = spec.budget?.max_wall_seconds;
  return Math.min(longestMs, ...[own, budget].flatMap((seconds) => (seconds === undefined ? [] : [seconds * 1_000])));
}

interface Notification {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** PagerDuty refuses a longer one. */
const longestSummary = 1_024;
const longestKey = 255;

/** Events API v2: https://developer.pagerduty.com/docs/events-api-v2/trigger-events/. */
function pagerDutyRequest(
  channel: Extract<Channel, { kind: 'pager_duty' }>,
  { dispatch_id, context }: Made,
  token: string,
): Notification {
  const summary = renderText(channel.summary, context);
  const dedup_key = channel.dedup_key === undefined ? dispatch_id : renderText(channel.dedup_key, context);
  // A cut key would be that of other events as well.
  if (dedup_key.length > longestKey || dedup_key === '')
    throw renderFailure('a dedup_key of another length than 1–255');
  return {
    path: '/v2/enqueue',
    headers: {},
    body: {
      routing_key: token,
      event_action: 'trigger',
      dedup_key,
      payload: {
        summary: [...summary].slice(0, longestSummary).join(''),
        source: context.subject_ref,
        severity: channel.severity,
        timestamp: context.completed_at,
        custom_details: { ...context, wyrd_route: channel.route },
      },
    },
  };
}

/** https://docs.slack.dev/reference/methods/chat.postMessage. */
function slackRequest(
  channel: Extract<Channel, { kind: 'slack' }>,
  { dispatch_id, context }: Made,
  token: string,
): Notification {
  return {
    path: '/api/chat.postMessage',
    headers: { authorization: `Bearer ${token}` },
    body: {
      channel: channel.channel_id,
      text: renderText(channel.text, context),
      metadata: { event_type: 'touchstone_dispatch', event_payload: { dispatch_id } },
    },
  };
}

function httpRequest(
  spec: HttpOperator,
  { dispatch_id, context }: Made,
  credential: Credential | null,
): Omit<DeliveryRequest, 'timeout_ms'> {
  const url = renderUrl(spec.url, context);
  const headers = new Map<string, string>();
  if (spec.body !== undefined) headers.set('content-type', json);
  for (const [name, template] of Object.entries(spec.headers ?? {})) {
    headers.set(name.toLowerCase(), headerValue(renderText(template, context)));
  }
  if (spec.auth !== undefined && credential !== null) headers.set(...authHeader(spec.auth, credential.secret));
  headers.set('idempotency-key', dispatch_id);
  return {
    method: spec.method.toUpperCase(),
    url: url.startsWith('/') ? `${credential?.connection.origin ?? ''}${url}` : url,
    headers: Object.fromEntries(headers),
    body: spec.body === undefined ? null : JSON.stringify(renderBody(spec.body, context)),
    expect_status: spec.expect_status ?? null,
  };
}

/** A line break would begin another header. Text beyond ASCII goes out as UTF-8. */
function headerValue(text: string): string {
  if (/[^\t\x20-\x7e\x80-\u{10ffff}]/u.test(text)) throw renderFailure('a control character in a header');
  return Buffer.from(text, 'utf8').toString('latin1');
}

function authHeader(auth: HttpAuth, secret: ConnectionSecret): [string, string] {
  if (auth.scheme === 'header') return [auth.name.toLowerCase(), secret.kind === 'token' ? secret.token : ''];
  if (secret.kind === 'token') return ['authorization', `Bearer ${secret.token}`];
  const pair = Buffer.from(`${secret.username}:${secret.password}`).toString('base64');
  return ['authorization', `Basic ${pair}`];
}
