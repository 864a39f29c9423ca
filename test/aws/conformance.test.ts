import { openAwsHost } from '#test/support/aws-host.ts';
import { conformanceThroughHttp } from '#test/support/http-conformance.ts';

// What is submitted runs in a state machine there, which this process does not have: machine.property.test.ts.
conformanceThroughHttp('the AWS stores', openAwsHost, ({ given }) => given.mode !== 'submit');
