import { bindingActivity } from '#test/support/binding-activity.ts';
import { openEmbeddedStores } from '#test/support/open-stores.ts';

bindingActivity('the embedded stores', openEmbeddedStores);
