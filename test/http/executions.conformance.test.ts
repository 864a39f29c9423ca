import { executionConformance } from '#test/support/execution-conformance.ts';
import { embeddedHosts } from '#test/support/run-execution-case.ts';

executionConformance('the embedded host', embeddedHosts);
