/**
 * The program of the query process, as text: it is the same in the project and in a bundle, and the process needs no file.
 * Reads `{tables, sql, most}` as JSON from standard input, writes one reply as JSON. SQLite itself refuses everything but
 * reading: an authorizer, `query_only`, bounds on lengths; the process may reach no file and start nothing.
 */
export const queryScript = String.raw`
const { DatabaseSync, constants } = require('node:sqlite');
const mostBytes = 1048576;
const chunks = [];
process.stdin.on('data', (chunk) => chunks.push(chunk));
process.stdin.on('end', () => {
  const reply = answer(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  process.stdout.write(JSON.stringify(reply));
});

function answer({ tables, sql, most }) {
  const database = new DatabaseSync(':memory:', { allowExtension: false, limits: { length: 4194304 } });
  database.exec('PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=0');
  for (const table of tables) fill(database, table);
  database.exec('PRAGMA query_only=1');
  const allowed = [constants.SQLITE_SELECT, constants.SQLITE_READ, constants.SQLITE_FUNCTION, constants.SQLITE_RECURSIVE];
  database.setAuthorizer((code, name) => {
    const inner = code === constants.SQLITE_READ && /^(sqlite_|pragma_|dbstat|dbpage)/i.test(String(name));
    return allowed.includes(code) && !inner ? constants.SQLITE_OK : constants.SQLITE_DENY;
  });
  try {
    // As a subquery: what follows a first statement is no part of one, and so is refused.
    const statement = database.prepare('SELECT * FROM (\n' + sql + '\n) LIMIT ' + (most + 1));
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    return { kind: 'rows', columns: statement.columns().map(({ name }) => name), ...take(statement, most) };
  } catch (error) {
    return { kind: 'refused', message: String(error.message).slice(0, 500) };
  }
}

function fill(database, { name, columns, rows }) {
  const types = { text: 'TEXT', json: 'TEXT', integer: 'INTEGER', real: 'REAL' };
  const listed = columns.map((column) => '"' + column.name + '" ' + types[column.type]);
  database.exec('CREATE TABLE "' + name + '" (' + listed.join(', ') + ')');
  const insert = database.prepare('INSERT INTO "' + name + '" VALUES (' + columns.map(() => '?').join(', ') + ')');
  database.exec('BEGIN');
  for (const row of rows) insert.run(...columns.map((column) => cell(column, row[column.name])));
  database.exec('COMMIT');
}

function cell({ type }, value) {
  if (value === undefined || value === null) return null;
  if (type === 'json' || typeof value === 'object') return JSON.stringify(value);
  return typeof value === 'boolean' ? Number(value) : value;
}

function take(statement, most) {
  const rows = [];
  let bytes = 0;
  for (const row of statement.iterate()) {
    const values = row.map(plain);
    bytes += JSON.stringify(values).length;
    if (rows.length === most || bytes > mostBytes) return { rows, truncated: true };
    rows.push(values);
  }
  return { rows, truncated: false };
}

function plain(value) {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return typeof value === 'number' && !Number.isFinite(value) ? null : value;
}
`;
