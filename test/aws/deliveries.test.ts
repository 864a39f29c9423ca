import { deliveryConformance } from '#test/support/delivery-conformance.ts';
import { openAwsStores } from '#test/support/open-aws-stores.ts';

deliveryConformance('the AWS stores', openAwsStores);
