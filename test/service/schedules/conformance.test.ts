import { openEmbeddedStores } from '#test/support/open-stores.ts';
import { scheduleConformance } from '#test/support/schedule-conformance.ts';

scheduleConformance('the embedded stores', openEmbeddedStores);
