import { bindingActivity } from '#test/support/binding-activity.ts';
import { bindingConformance } from '#test/support/binding-conformance.ts';
import { openAwsStores } from '#test/support/open-aws-stores.ts';

bindingConformance('the AWS stores', openAwsStores);
bindingActivity('the AWS stores', openAwsStores);
