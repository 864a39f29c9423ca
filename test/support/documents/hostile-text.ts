type Maker = () => Uint8Array;

const utf8 = (text: string) => () => Buffer.from(text);

/** Text formats made against the reader, by case id of test/fixtures/hostile/cases.yaml. */
export const hostileTexts: Readonly<Record<string, Maker>> = {
  'text-latin-1': () => Buffer.from('caf\u00e9', 'latin1'),
  'text-overlong': () => Buffer.from([0xc0, 0xaf]),
  'text-half-character': () => Buffer.from([0xed, 0xa0, 0x80]),
  'text-above-limit': () => Buffer.alloc(10 * 1024 * 1024 + 1, 'a'),
  'csv-many-fields': utf8(`${','.repeat(1_000)}\n`.repeat(1_000)),
  'csv-open-quote': utf8('a,"never closed'),
  'json-deep': utf8('['.repeat(100_000)),
  'json-same-key-twice': utf8('{"a":1,"a":2}'),
  'json-large-integer': utf8('{"a":9007199254740993}'),
};
