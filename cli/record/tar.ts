import type { Bundle } from './gather-bundle.ts';

/**
 * A tar file in the ustar form (POSIX.1-2001): regular files of mode 0644, nobody's, at one time, so that the same files
 * give the same bytes. Throws for a name that does not fit.
 */
export function toTar(files: Bundle): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const [name, content] of files) {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    parts.push(header(name, bytes.length), bytes, new Uint8Array(padding(bytes.length)));
  }
  return Buffer.concat([...parts, new Uint8Array(2 * blockBytes)]);
}

const blockBytes = 512;

function padding(length: number): number {
  return (blockBytes - (length % blockBytes)) % blockBytes;
}

function header(name: string, size: number): Uint8Array {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name}: the name is too long for a tar file`);
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, at: number, digits: number) =>
    block.write(`${value.toString(8).padStart(digits, '0')}\0`, at, 'latin1');
  block.write(name, 0, 'utf8');
  octal(0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(0, 136, 11);
  block.write('        ', 148, 'latin1');
  block.write('0', 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}
