import type { Construct } from 'constructs';
import type { FunctionContext } from '../constructs/house-function.ts';
import type { DataStack } from '../data-stack.ts';
import type { Settings } from '../settings.ts';

/** What a function needs to be made. */
export interface Making {
  readonly scope: Construct;
  readonly context: FunctionContext;
  readonly data: DataStack;
  readonly settings: Settings;
}
