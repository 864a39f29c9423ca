import type { Fault, Outside } from './boundary.ts';

/** Bytes of the channel to whoever asked. `finish` ends the interpreter's life and never returns. */
export interface Channel {
  ready(): void;
  readExactly(length: number): Uint8Array<ArrayBuffer>;
  finish(report: Uint8Array): never;
  sha256(bytes: Uint8Array): Uint8Array;
}

/** Frames: see ../frames.ts. */
const headerBytes = 44;
const printedBytes = 65_536;
const bodyBytes = (4 << 20) + 64;

/** One call's outside: its clock, its randomness, what it prints and the one report it makes. */
export function createSession(channel: Channel): Outside {
  const printed = collector(printedBytes);
  const body = collector(bodyBytes);
  let random = randomStream(new Uint8Array(32), channel.sha256);
  let request: Uint8Array | undefined;
  const finish = (report: Uint8Array): never => {
    const text = printed.bytes();
    const frame = new Uint8Array(8 + text.length + report.length);
    new DataView(frame.buffer).setUint32(0, text.length);
    new DataView(frame.buffer).setUint32(4, report.length);
    frame.set(text, 8);
    frame.set(report, 8 + text.length);
    return channel.finish(frame);
  };
  const outside: Outside = {
    clock: 0,
    random: (into) => random(into),
    request: (most) => {
      if (request === undefined) {
        channel.ready();
        const header = channel.readExactly(headerBytes);
        const view = new DataView(header.buffer, header.byteOffset);
        outside.clock = view.getFloat64(4);
        random = randomStream(header.slice(12), channel.sha256);
        request = channel.readExactly(view.getUint32(0));
      }
      const part = request.slice(0, most);
      request = request.subarray(part.length);
      return part;
    },
    print: printed.add,
    report: body.add,
    reported: () => finish(body.bytes()),
    fault: (kind) => finish(new TextEncoder().encode(`E${faultCodes[kind]}`)),
  };
  return outside;
}

const faultCodes: Readonly<Record<Fault, string>> = {
  forbidden: 'code_forbidden',
  exit: 'code_exception SystemExit',
  abort: 'code_exception',
  memory: 'code_memory',
};

function collector(most: number): { add(bytes: Uint8Array): void; bytes(): Uint8Array } {
  const parts: Uint8Array[] = [];
  let length = 0;
  return {
    add: (bytes) => {
      const part = bytes.slice(0, most - length);
      if (part.length === 0) return;
      parts.push(part);
      length += part.length;
    },
    bytes: () => {
      const all = new Uint8Array(length);
      let at = 0;
      for (const part of parts) {
        all.set(part, at);
        at += part.length;
      }
      return all;
    },
  };
}

/** SHA-256 of the seed and a counter, block after block: the same for the same source, in every process. */
function randomStream(seed: Uint8Array, sha256: (bytes: Uint8Array) => Uint8Array): (into: Uint8Array) => void {
  const input = new Uint8Array(40);
  input.set(seed);
  let blocks = 0;
  let rest: Uint8Array = new Uint8Array(0);
  return (into) => {
    for (let at = 0; at < into.length; ) {
      if (rest.length === 0) {
        new DataView(input.buffer).setUint32(36, blocks);
        blocks += 1;
        rest = sha256(input);
      }
      const part = rest.subarray(0, into.length - at);
      into.set(part, at);
      rest = rest.subarray(part.length);
      at += part.length;
    }
  };
}
