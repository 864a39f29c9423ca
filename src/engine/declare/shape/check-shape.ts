import type { z } from 'zod';
import { cardLimits } from '#contract/cards/shared.ts';
import { type VerifierSpec, verifierSpecSchemas } from '#contract/cards/verifier.ts';
import type { Json } from '#contract/json.ts';
import { isObject } from '../../values/kind.ts';
import type { CompileInput, Finding } from '../types.ts';
import { inDocumentOrder } from './document-order.ts';
import { toFaults } from './issues.ts';
import { exceededLimits } from './limits.ts';
import { measure, type Path } from './measure.ts';
import { type SyntaxFault, syntaxFaults } from './syntax.ts';

export type ShapeCheck =
  | { readonly ok: true; readonly spec: VerifierSpec }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/**
 * The first pass over a spec (docs/spec/verification.md §14.2): limits, then everything that keeps it from being
 * decoded. Any finding here, and the rules are not looked at.
 */
export function checkShape({ api, spec, dialect }: CompileInput): ShapeCheck {
  if (!isObject(spec)) return refuse([{ path: [], message: 'expected an object' }]);
  const exceeded = exceededLimits(spec);
  if (exceeded.length > 0) return refuse(exceeded);
  const { tooLarge, faults } = measure(spec);
  if (tooLarge) {
    const message = `larger than ${cardLimits.specBytes} bytes of compact JSON`;
    return refuse([{ path: [], message, code: 'WYRD_REGISTRY_400_SPEC_TOO_LARGE' }]);
  }
  if (faults.length > 0) return refuse(faults);
  const decoded = verifierSpecSchemas[api].safeParse(spec);
  const found: readonly SyntaxFault[] = [...issueFaults(spec, decoded), ...syntaxFaults(spec, dialect)];
  if (decoded.success && found.length === 0) return { ok: true, spec: decoded.data };
  const early = inDocumentOrder(
    spec,
    found.filter((fault) => fault.late !== true),
  );
  return refuse([...early, ...found.filter((fault) => fault.late === true)]);
}

function issueFaults(spec: Json, decoded: z.ZodSafeParseResult<unknown>): readonly SyntaxFault[] {
  return decoded.success ? [] : toFaults(spec, decoded.error.issues);
}

/** One finding a place: what the schema and the grammar both refuse is said once. */
function refuse(faults: readonly SyntaxFault[]): ShapeCheck {
  const findings = new Map<string, Finding>();
  for (const { path, message, code = 'WYRD_REGISTRY_400_INVALID_CARD_SPEC' } of faults) {
    const pointer = toPointer(path);
    if (!findings.has(pointer)) findings.set(pointer, { code, path: pointer, rule: 'shape', message });
    if (findings.size === cardLimits.findings) break;
  }
  return { ok: false, findings: [...findings.values()] };
}

/** A JSON Pointer into the Card. */
export function toPointer(path: Path): string {
  return ['/spec', ...path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');
}
