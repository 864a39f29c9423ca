import { z } from 'zod';
import { cardNamePattern, isFullVersion, uuidV7Pattern } from '../ids.ts';
import { cardKinds, isCardKind } from './kinds.ts';

/** A reference to a declared Card. After declaration it carries `uid`; in results never `space` (docs/spec/wire.md). */
export const cardRefSchema = z
  .strictObject({
    kind: z.enum(cardKinds),
    name: z.string().regex(cardNamePattern),
    version: z.string().min(1).max(128).optional(),
    space: z.string().regex(cardNamePattern).optional(),
    uid: z.string().regex(uuidV7Pattern).optional(),
  })
  .meta({ id: 'CardRef' });

export type CardRef = z.infer<typeof cardRefSchema>;

/** A Card of the same declaration, before the server knows its uid (docs/spec/wire.md §4.1). */
const siblingRefSchema = z.strictObject({ sibling: cardRefSchema }).meta({ id: 'SiblingRef' });

/** A path relative to the Card's own file. Only loaders read it; a server refuses one that is left over. */
const pathRefSchema = z
  .string()
  .regex(/^\.{1,2}\/.{1,1000}$/)
  .meta({ id: 'PathRef' });

/** Every way to name a Card inside a spec (docs/spec/verification.md §1.4), inline bodies apart. */
export const cardTargetSchema = z.union([cardRefSchema, siblingRefSchema, pathRefSchema]);

export type CardTarget = z.infer<typeof cardTargetSchema>;

/** The Card that a target names, or `undefined` for a file path. */
export function toCardRef(target: CardTarget): CardRef | undefined {
  if (typeof target === 'string') return undefined;
  return 'sibling' in target ? target.sibling : target;
}

/** `[space/]Kind/name@version[#uid]` (docs/spec/wire.md, dialect table). */
export function formatCardRef(ref: CardRef): string {
  const space = ref.space === undefined ? '' : `${ref.space}/`;
  const version = ref.version === undefined ? '' : `@${ref.version}`;
  const uid = ref.uid === undefined ? '' : `#${ref.uid}`;
  return `${space}${ref.kind}/${ref.name}${version}${uid}`;
}

const textPattern =
  /^(?:([a-z][a-z0-9_-]{2,63})\/)?([A-Z][a-z]{2,15})\/([a-z][a-z0-9_-]{2,63})@([^#]{1,128})(?:#(.{36}))?$/;

/** The reference that a text form names; `undefined` for any other text. */
export function parseCardRef(text: string): CardRef | undefined {
  const match = text.length > 400 ? null : textPattern.exec(text);
  if (match === null) return undefined;
  const [, space, kind = '', name = '', version = '', uid] = match;
  if (!isCardKind(kind) || !isFullVersion(version)) return undefined;
  if (uid !== undefined && !uuidV7Pattern.test(uid)) return undefined;
  return {
    kind,
    name,
    version,
    ...(space === undefined ? {} : { space }),
    ...(uid === undefined ? {} : { uid }),
  };
}
