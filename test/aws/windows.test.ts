import { openAwsStores } from '#test/support/open-aws-stores.ts';
import { windowConformance } from '#test/support/window-conformance.ts';

windowConformance('the AWS stores', openAwsStores);
