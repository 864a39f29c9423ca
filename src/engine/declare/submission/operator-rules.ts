import type { HttpAuth, HttpOperator, OperatorSpec } from '#contract/cards/operator.ts';
import type { Json } from '#contract/json.ts';
import { isList, isObject } from '../../values/kind.ts';
import { parseTemplate, type TemplateField } from '../template.ts';

/** A field of an Operator and what is wrong with it. Fields are written with dots, from the Operator's own spec. */
export interface OperatorProblem {
  readonly field: string;
  readonly message: string;
}

/** What the Operator is bound to; absent for one that stands alone, which may use every field. */
export interface BoundTo {
  /** The Verifier has exactly one drift check. */
  readonly oneDrift: boolean;
  /** The Verifier has source slots. */
  readonly group: boolean;
}

/** Templates, headers, URLs and numbers of an Operator (docs/spec/background.md §7.1–§7.3). */
export function operatorProblems(spec: OperatorSpec, boundTo?: BoundTo): readonly OperatorProblem[] {
  const problems: OperatorProblem[] = [];
  const check = (field: string, text: string | undefined) => {
    const message = text === undefined ? undefined : templateProblem(text, boundTo);
    if (message !== undefined) problems.push({ field, message });
  };
  if (spec.kind === 'http') return httpProblems(spec, boundTo);
  const { channel } = spec;
  if (channel.kind === 'slack') check('channel.text', channel.text);
  else {
    check('channel.summary', channel.summary);
    check('channel.dedup_key', channel.dedup_key);
  }
  return problems;
}

function templateProblem(text: string, boundTo: BoundTo | undefined): string | undefined {
  const parsed = parseTemplate(text);
  if (!parsed.ok) return parsed.message;
  const fields = parsed.parts.flatMap((part) => ('field' in part ? [part.field] : []));
  return boundTo === undefined ? undefined : fields.map((field) => unavailable(field, boundTo)).find(Boolean);
}

function unavailable(field: TemplateField, { oneDrift, group }: BoundTo): string | undefined {
  if (field.startsWith('drift.') && !oneDrift) return `${field} needs a Verifier with exactly one drift check`;
  if (field.startsWith('group.') && !group) return `${field} needs a Verifier with source slots`;
  return undefined;
}

function httpProblems(spec: HttpOperator, boundTo: BoundTo | undefined): readonly OperatorProblem[] {
  const problems: OperatorProblem[] = [];
  const add = (field: string, message: string | undefined) => {
    if (message !== undefined) problems.push({ field, message });
  };
  add('url', templateProblem(spec.url, boundTo) ?? urlProblem(spec.url, spec.auth));
  for (const [name, value] of Object.entries(spec.headers ?? {})) {
    add(`headers.${name}`, headerNameProblem(name) ?? headerValueProblem(value) ?? templateProblem(value, boundTo));
  }
  const names = Object.keys(spec.headers ?? {}).map((name) => name.toLowerCase());
  if (new Set(names).size < names.length) add('headers', 'a header twice');
  add('body', spec.body === undefined ? undefined : bodyProblem(spec.body, boundTo));
  if (spec.auth?.scheme === 'header') {
    const name = spec.auth.name;
    const repeats = names.includes(name.toLowerCase()) ? 'a header of that name is authored as well' : undefined;
    add('auth.name', headerNameProblem(name) ?? repeats);
  }
  const status = spec.expect_status;
  if (status !== undefined && (status < 100 || status > 599)) add('expect_status', 'from 100 to 599');
  return problems;
}

/** The first bad template among the texts of a body. The depth of a spec is bounded before. */
function bodyProblem(body: Json, boundTo: BoundTo | undefined): string | undefined {
  if (typeof body === 'string') return templateProblem(body, boundTo);
  const inner = isList(body) ? body : isObject(body) ? Object.values(body) : [];
  for (const value of inner) {
    const problem = bodyProblem(value, boundTo);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const ownedHeaders = ['authorization', 'host', 'content-length', 'transfer-encoding', 'connection', 'idempotency-key'];

/** Why an Operator or a connection may not set this header. */
export function headerNameProblem(name: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return 'not a header name';
  return ownedHeaders.includes(name.toLowerCase()) ? 'a header that the server sets itself' : undefined;
}

function headerValueProblem(value: string): string | undefined {
  return /[^\t\x20-\x7e\x80-\uffff]/.test(value) ? 'a control character' : undefined;
}

const urlPattern = /^(https?):\/\/([^/?#\\]+)([^#\\]*)$/i;

function urlProblem(url: string, auth: HttpAuth | undefined): string | undefined {
  // Placeholders may have spaces inside; nothing else of a URL may.
  if (/[\s\p{Cc}]/u.test(url.replaceAll(/\{\{ *[a-z_.]+ *\}\}/g, ''))) return 'white space or a control character';
  if (url.startsWith('/')) {
    if (url.startsWith('//') || /[#\\]/.test(url)) return 'not an absolute path';
    return auth === undefined ? 'a path takes its origin from a connection, and there is none' : undefined;
  }
  const [, scheme = '', authority = ''] = urlPattern.exec(url) ?? [];
  if (scheme === '') return 'expected https, or http to a loopback host, or an absolute path';
  if (authority.includes('{')) return 'the origin is literal; placeholders stand in path and query only';
  if (authority.includes('@')) return 'a URL carries no user info';
  const origin = originOf(url);
  if (origin === undefined) return 'not a URL';
  return origin.protocol === 'https:' || isLoopback(origin.hostname) ? undefined : 'http only to a loopback host';
}

function originOf(url: string): URL | undefined {
  const [, scheme = '', authority = ''] = urlPattern.exec(url) ?? [];
  return scheme !== '' && URL.canParse(`${scheme}://${authority}`) ? new URL(`${scheme}://${authority}`) : undefined;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** What an Operator's connection is, as far as it is no secret (docs/spec/wire.md §8). */
export interface Connection {
  readonly status: 'active' | 'disabled';
  readonly origin?: string;
  readonly auth?: { readonly scheme: string; readonly name?: string };
}

export type FindConnection = (provider: 'slack' | 'pager_duty' | 'http', name: string) => Connection | undefined;

/**
 * Whether the connection that an Operator names can serve it: there, active, of the right provider and authority. All
 * differences look alike to the caller (docs/spec/background.md §7.3, §8.3).
 */
export function isConnectionUsable(spec: OperatorSpec, find: FindConnection): boolean {
  if (spec.kind === 'notify') return find(spec.channel.kind, spec.channel.connection)?.status === 'active';
  if (spec.auth === undefined) return true;
  const connection = find('http', spec.auth.connection);
  return connection?.status === 'active' && hasAuthority(spec, spec.auth, connection);
}

function hasAuthority({ url }: HttpOperator, auth: HttpAuth, connection: Connection): boolean {
  const wanted = auth.scheme === 'header' ? auth.name.toLowerCase() : undefined;
  if (connection.auth?.scheme !== auth.scheme || connection.auth.name?.toLowerCase() !== wanted) return false;
  return url.startsWith('/') || originOf(url)?.origin === connection.origin;
}
