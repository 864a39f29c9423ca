import { deliveryConformance } from '#test/support/delivery-conformance.ts';
import { openEmbeddedStores } from '#test/support/open-stores.ts';

deliveryConformance('the embedded stores', openEmbeddedStores);
