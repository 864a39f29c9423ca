import { readFile } from 'node:fs/promises';
import { createContext, runInContext, SourceTextModule } from 'node:vm';

/**
 * `node --experimental-vm-modules browser-realm.ts SCRIPT WASM INPUT`: evaluates an ES module in a realm that has what the
 * web has (and nothing of Node), served from an address, and prints what its `checkRecord` answers.
 */
const [script = '', wasm = '', input = ''] = process.argv.slice(2);
const address = 'https://auditor.example/check/record.js';

const realm = createContext({
  TextDecoder,
  TextEncoder,
  URL,
  WebAssembly,
  atob,
  btoa,
  structuredClone,
  console: {},
  async fetch(url: URL) {
    if (url.href !== 'https://auditor.example/check/rregex.wasm')
      throw new Error(`the network is not there: ${url.href}`);
    return new Response(new Uint8Array(await readFile(wasm)));
  },
});

const module = new SourceTextModule(await readFile(script, 'utf8'), {
  context: realm,
  identifier: address,
  initializeImportMeta(meta) {
    meta.url = address;
  },
});
await module.link((specifier) => {
  throw new Error(`a browser cannot resolve ${specifier}`);
});
await module.evaluate();
const { checkRecord } = module.namespace as { checkRecord(input: unknown): unknown };
// The realm makes its own arrays of the bytes, as a page would.
const revive = runInContext(
  '(text) => JSON.parse(text, (name, value) => (name === "bytes" ? Uint8Array.from(value) : value))',
  realm,
) as (text: string) => unknown;
process.stdout.write(JSON.stringify(checkRecord(revive(await readFile(input, 'utf8')))));
