import { CsvError, parse } from 'csv-parse/sync';
import type { JsonObject } from '#contract/json.ts';
import { ExtractFailure } from '../extract-failure.ts';
import { decodeText } from './decode-text.ts';

const maxFields = 1_000_000;

/**
 * `{format, rows}` by RFC 4180 with `,`: the header is a row, nothing is inferred, a bare quote inside an unquoted
 * field is literal, a final line end adds no row (docs/spec/verification.md §4.3).
 */
export function extractCsv(bytes: Uint8Array): JsonObject {
  let fields = 0;
  const text = decodeText(bytes);
  try {
    const rows: string[][] = parse(text, {
      bom: false,
      delimiter: ',',
      relax_column_count: true,
      relax_quotes: true,
      record_delimiter: ['\r\n', '\n'],
      skip_empty_lines: false,
      on_record: (row: string[]) => {
        fields += row.length;
        if (fields > maxFields)
          throw new ExtractFailure('the table has over 1,000,000 fields', { code: 'extract_limit' });
        return row;
      },
    });
    return { format: 'csv', rows };
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    throw new ExtractFailure('the file is not a CSV table', { code: 'extract_unreadable', cause });
  }
}
