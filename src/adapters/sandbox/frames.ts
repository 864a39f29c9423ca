import { createHash } from 'node:crypto';
import type { SandboxRequest } from '#service/ports.ts';
import { limits } from './limits.ts';

/**
 * What crosses the pipes of the locked process, all numbers big endian.
 * Request: u32 length of the body, f64 clock in milliseconds, 32 bytes of seed, body = JSON {source, entrypoint, inputs}.
 * Report: u32 length of the printed text, u32 length of the body, both texts; body = `O` and JSON, or `E`, a code and
 * perhaps the name of an exception. The report is written by a process that ran hostile code.
 */
export interface Report {
  readonly printed: Uint8Array;
  readonly body: Uint8Array;
}

const reportHeader = 8;

/** Null when the request is above its limits. */
export function encodeRequest(request: SandboxRequest): Uint8Array | null {
  const { source, entrypoint, inputs } = request;
  const body = Buffer.from(JSON.stringify({ source, entrypoint, inputs }));
  if (body.length > limits.request_bytes || Buffer.byteLength(source) > limits.source_bytes) return null;
  const header = Buffer.alloc(12);
  header.writeUInt32BE(body.length, 0);
  header.writeDoubleBE(Date.parse(request.clock), 4);
  return Buffer.concat([header, createHash('sha256').update(source).digest(), body]);
}

/** The report, `partial` while bytes are missing, `broken` when these bytes can become none. */
export function decodeReport(bytes: Buffer): Report | 'partial' | 'broken' {
  if (bytes.length < reportHeader) return 'partial';
  const printed = bytes.readUInt32BE(0);
  const body = bytes.readUInt32BE(4);
  if (printed > limits.printed_bytes || body > limits.report_bytes) return 'broken';
  const end = reportHeader + printed + body;
  if (bytes.length < end) return 'partial';
  if (bytes.length > end) return 'broken';
  return {
    printed: bytes.subarray(reportHeader, reportHeader + printed),
    body: bytes.subarray(reportHeader + printed),
  };
}
