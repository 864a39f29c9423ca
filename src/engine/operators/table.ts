import type { OperatorName } from '#contract/operators.ts';
import { collectionOperators } from './collection.ts';
import { equalityOperators } from './equality.ts';
import { formatOperators } from './format.ts';
import { numericOperators } from './numeric.ts';
import type { OperatorDefinition } from './operator.ts';
import { textOperators } from './text.ts';
import { toleranceOperators } from './tolerance.ts';
import { typeOperators } from './type.ts';

/** Every operator by name: the one list from which judging, decoding and documentation are made. */
export const operators: Readonly<Record<OperatorName, OperatorDefinition>> = {
  ...equalityOperators,
  ...numericOperators,
  ...textOperators,
  ...formatOperators,
  ...collectionOperators,
  ...typeOperators,
  ...toleranceOperators,
};

export function isOperatorName(text: string): text is OperatorName {
  return Object.hasOwn(operators, text);
}
