import { openAwsHost } from '#test/support/aws-host.ts';
import { conformanceThroughHttp } from '#test/support/http-conformance.ts';

conformanceThroughHttp('the AWS stores', openAwsHost);
