import { bindingConformance } from '#test/support/binding-conformance.ts';
import { openEmbeddedStores } from '#test/support/open-stores.ts';

bindingConformance('the embedded stores', openEmbeddedStores);
