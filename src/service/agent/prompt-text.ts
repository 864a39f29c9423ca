import type { BoundInput } from '#engine/run/work.ts';

const placeholder = /\{\{([A-Za-z_][A-Za-z0-9_]*)\}\}|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/gu;

/**
 * Puts values into an authored text (docs/spec/verification.md §4.4): a text raw, everything else as compact JSON. One
 * pass, so a placeholder inside a value stays what it is: data.
 */
export function fillText(template: string, inputs: Readonly<Record<string, BoundInput>>): string {
  return template.replaceAll(placeholder, (literal, braces: string | undefined, dollar: string | undefined) => {
    const name = braces ?? dollar ?? '';
    const bound = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    if (bound?.kind !== 'value') return literal;
    return typeof bound.value === 'string' ? bound.value : JSON.stringify(bound.value);
  });
}

/** Whether an authored text has a place for a value. */
export function hasPlaceholder(template: string): boolean {
  return template.search(placeholder) >= 0;
}
