import { basename, dirname } from 'node:path';
import { findNodeBinary } from '#adapters/sandbox/node-binary.ts';
import { prepare } from '#adapters/sandbox/prepare.ts';

/**
 * `node scripts/sandbox-assets.ts <folder>`: the memory snapshot and scripts that the sandbox function starts from,
 * made as the embedded host makes them, so that both name one interpreter in their records. Prints the name of theirs.
 */
const [folder] = process.argv.slice(2);
const node = findNodeBinary();
if (folder === undefined) throw new Error('a folder is expected');
if (node === null) throw new Error('Node 26 is missing: run npm ci');
const { files } = await prepare(node, folder);
if (!files.entry.startsWith(folder)) throw new Error(`${folder} cannot be written`);
process.stdout.write(basename(dirname(files.entry)));
