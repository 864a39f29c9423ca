import { describe, expect, it } from 'vitest';
import type { OperatorName } from '#contract/operators.ts';
import { judge } from '#engine/operators/index.ts';

function holds(kind: OperatorName, text: string): boolean {
  return judge({ operator: { kind }, expected: null, normalize: 'none' }, text, 'wyrd/v1').result === 'true';
}

const cases: readonly (readonly [OperatorName, readonly string[], readonly string[]])[] = [
  [
    'is_ipv6',
    [
      '::',
      '::1',
      '1::',
      '1:2:3:4:5:6:7:8',
      '1:2:3:4:5:6:7::',
      '::2:3:4:5:6:7:8',
      '::ffff:1.2.3.4',
      '1:2:3:4:5:6:1.2.3.4',
      'FE80::a',
    ],
    [
      '',
      ':',
      ':::',
      '1',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '1::2::3',
      '1:2:3:4::5:6:7:8',
      '12345::',
      '1.2.3.4::',
      '1:2:3:4:5:6:7:1.2.3.4',
      '::1.2.3',
      '::01.2.3.4',
      ' ::1',
      '::g',
      ':1::',
      '1:',
    ],
  ],
  ['is_ipv4', ['0.0.0.0', '255.255.255.255'], ['256.1.1.1', '01.2.3.4', '1.2.3.4.', '1.2.3.4\n', '1..2.3', '١.2.3.4']],
  [
    'is_uuid',
    ['00000000000000000000000000000000', 'URN:UUID:6f9619ff-8b86-4d01-b42d-00cf4fc964ff'],
    [
      '{00000000000000000000000000000000}',
      '6f9619ff-8b86-4d01-b42d-00cf4fc964ff\n',
      '6f9619ff8-b86-4d01-b42d-00cf4fc964ff',
    ],
  ],
  ['is_email', ['a@b.c', 'a@.', 'a@b@c.d'], ['@b.c', 'a@', 'a@bc', 'a b@c.d', 'a@b .c', 'a\u3000@b.c', 'ab.c']],
  ['is_url', ['a://b', 'git+ssh://x'], ['://b', 'a://', 'a:b', 'ä://b', ' a://b', 'a b://c']],
  [
    'is_json',
    [
      ' 1 ',
      '{"a":1,"a":2}',
      '123456789012345678901234567890',
      `${'['.repeat(127)}${']'.repeat(127)}`,
      '"\\ud83d\\ude00"',
    ],
    [
      '\ufeff1',
      '"\\ud800"',
      '1e400',
      `${'['.repeat(128)}${']'.repeat(128)}`,
      '01',
      '[1 2]',
      '"\t"',
      '-',
      '.5',
      "{'a':1}",
      'nul',
    ],
  ],
];

describe.each(cases)('%s', (kind, yes, no) => {
  it.each(yes)('takes %j', (text) => expect(holds(kind, text)).toBe(true));
  it.each(no)('refuses %j', (text) => expect(holds(kind, text)).toBe(false));
});
