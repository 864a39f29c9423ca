import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Accepts findings of cdk-nag on this construct and below it, each with its reason: id → reason. */
export function acknowledge(scope: IConstruct, findings: Readonly<Record<string, string>>): void {
  const entries = Object.entries(findings);
  for (const [id, reason] of entries) Validations.of(scope).acknowledge({ id, reason });
}
