import { groupConformance } from '#test/support/group-conformance.ts';
import { openAwsStores } from '#test/support/open-aws-stores.ts';

groupConformance('the AWS stores', openAwsStores);
