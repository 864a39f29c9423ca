import { isJsonText } from '../values/parse-json.ts';
import { scalarCount } from '../values/text.ts';
import { ipv4Pattern, isIpv6 } from './ipv6.ts';
import { count, numberOf, operator } from './operator.ts';

const whiteSpace = /\p{White_Space}/u;
const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*$/;
const plainUuid = /^[0-9a-fA-F]{32}$/;
const hyphenatedUuid = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;

function isEmail(text: string): boolean {
  const at = text.indexOf('@');
  if (at < 1) return false;
  const domain = text.slice(at + 1);
  return domain.includes('.') && !whiteSpace.test(text);
}

function isUrl(text: string): boolean {
  const separator = text.indexOf('://');
  return separator > 0 && separator + 3 < text.length && scheme.test(text.slice(0, separator));
}

function isUuid(text: string): boolean {
  switch (text.length) {
    case 32:
      return plainUuid.test(text);
    case 36:
      return hyphenatedUuid.test(text);
    case 38:
      return text.startsWith('{') && text.endsWith('}') && hyphenatedUuid.test(text.slice(1, -1));
    case 45:
      return text.slice(0, 9).toLowerCase() === 'urn:uuid:' && hyphenatedUuid.test(text.slice(9));
    default:
      return false;
  }
}

function isIpv4(text: string): boolean {
  return text.length <= 15 && ipv4Pattern.test(text);
}

/** Light format tests on text: docs/spec/verification.md §7.2. */
export const formatOperators = {
  is_email: operator('text', 'none', 'The text has the form of an e-mail address.', isEmail),
  is_url: operator('text', 'none', 'The text has a scheme, `://` and something after it.', isUrl),
  is_uuid: operator('text', 'none', 'The text is a UUID: plain, hyphenated, in braces or as a URN.', isUuid),
  is_ipv4: operator('text', 'none', 'The text is an IPv4 address of four decimals.', isIpv4),
  is_ipv6: operator('text', 'none', 'The text is an IPv6 address, without zone and brackets.', isIpv6),
  has_min_length: operator(
    'text',
    'none',
    'The text has at least `min` characters (Unicode scalar values).',
    (left, _, from) => scalarCount(left) >= numberOf(from, 'min'),
    { parameters: { min: count }, records: 'parameters' },
  ),
  has_max_length: operator(
    'text',
    'none',
    'The text has at most `max` characters (Unicode scalar values).',
    (left, _, from) => scalarCount(left) <= numberOf(from, 'max'),
    { parameters: { max: count }, records: 'parameters' },
  ),
  is_json: operator('text', 'none', 'The text is one JSON value.', isJsonText),
} as const;
