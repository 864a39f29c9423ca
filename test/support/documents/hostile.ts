import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { MediaFormat } from '#contract/formats.ts';
import { hostileContainers } from './hostile-containers.ts';
import { hostileOffice } from './hostile-office.ts';
import { hostilePdfs } from './hostile-pdf.ts';
import { hostileTexts } from './hostile-text.ts';

const folder = 'test/fixtures/hostile';

export interface HostileCase {
  readonly id: string;
  readonly title: string;
  readonly format: MediaFormat;
  /** A file of the folder, or a text; else the maker with the case's id. */
  readonly file?: string;
  readonly text?: string;
  /** The one code, or the one output. */
  readonly expect: string | { readonly output: unknown; readonly warnings?: readonly string[] };
  /** Only what takes long: run with a shorter time limit, in milliseconds. */
  readonly within?: number;
}

export function hostileCases(): readonly HostileCase[] {
  return parse(readFileSync(join(folder, 'cases.yaml'), 'utf8'));
}

const makers = { ...hostileContainers, ...hostileOffice, ...hostilePdfs, ...hostileTexts };

/** Every maker has a case, and every case has its bytes. */
export const hostileMakers: readonly string[] = Object.keys(makers);

export function hostileBytes({ id, file, text }: HostileCase): Uint8Array {
  if (file !== undefined) return readFileSync(join(folder, file));
  if (text !== undefined) return Buffer.from(text);
  const maker = makers[id];
  if (maker === undefined) throw new Error(`nothing makes ${id}`);
  return maker();
}
