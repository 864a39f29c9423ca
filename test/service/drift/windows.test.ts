import { openEmbeddedStores } from '#test/support/open-stores.ts';
import { windowConformance } from '#test/support/window-conformance.ts';

windowConformance('the embedded stores', openEmbeddedStores);
