import { groupConformance } from '#test/support/group-conformance.ts';
import { openEmbeddedStores } from '#test/support/open-stores.ts';

groupConformance('the embedded stores', openEmbeddedStores);
