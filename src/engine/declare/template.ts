/** Fields that an Operator's template may name (docs/spec/background.md §7.2). */
const templateFields = [
  'dispatch_id',
  'execution_id',
  'result_id',
  'binding_id',
  'verifier_card_uid',
  'verifier_ref',
  'subject_uid',
  'subject_ref',
  'verdict',
  'completed_at',
  'summary',
  'drift.drifted_features',
  'drift.total_features',
  'group.group_id',
  'group.previous_result_id',
  'group.previous_verdict',
] as const;

export type TemplateField = (typeof templateFields)[number];

type TemplatePart = { readonly text: string } | { readonly field: TemplateField };

export type TemplateParse =
  | { readonly ok: true; readonly parts: readonly TemplatePart[] }
  | { readonly ok: false; readonly message: string };

function isField(text: string): text is TemplateField {
  return (templateFields as readonly string[]).includes(text);
}

/**
 * Splits a template into texts and fields: `{{`, spaces, one field, spaces, `}}`. A `}}` by itself is text. One pass,
 * linear in the text.
 */
export function parseTemplate(template: string): TemplateParse {
  const parts: TemplatePart[] = [];
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf('{{', at);
    const end = open === -1 ? template.length : open;
    if (end > at) parts.push({ text: template.slice(at, end) });
    if (open === -1) break;
    const close = template.indexOf('}}', open + 2);
    if (close === -1) return { ok: false, message: 'a placeholder that is not closed' };
    const field = template.slice(open + 2, close).trim();
    if (!isField(field)) return { ok: false, message: 'a placeholder that names no field' };
    parts.push({ field });
    at = close + 2;
  }
  return { ok: true, parts };
}
