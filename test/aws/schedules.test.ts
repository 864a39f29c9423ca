import { openAwsStores } from '#test/support/open-aws-stores.ts';
import { scheduleConformance } from '#test/support/schedule-conformance.ts';

scheduleConformance('the AWS stores', openAwsStores);
