import { z } from 'zod';
import { functionEnvironment } from '#contract/aws-functions.ts';
import { optionalVariable } from './environment.ts';

export function corsOrigins(): readonly string[] {
  return z.array(z.string()).parse(JSON.parse(optionalVariable(functionEnvironment.corsOrigins) ?? '[]'));
}
