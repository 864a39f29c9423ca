import { awsHosts } from '#test/support/aws-scripted-host.ts';
import { executionConformance } from '#test/support/execution-conformance.ts';

executionConformance('the AWS stores and the steps of the state machine', awsHosts);
