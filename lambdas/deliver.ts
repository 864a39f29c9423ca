import { createDeliver } from '#adapters/delivery/deliver.ts';
import { deliverCallSchema } from '#contract/aws-functions.ts';
import { providerUrls } from '#service/operators/build-request.ts';
import { deliverDispatch } from '#service/operators/deliver-dispatch.ts';
import { identified } from './compose/call-ids.ts';
import { stores } from './compose/host.ts';
import { secretBox } from './compose/secret-box.ts';
import { waking } from './compose/waking.ts';

const deliver = createDeliver({ clock: stores.clock, allowLoopback: false });
const ports = { ...stores, ...waking, secretBox, deliver, providerUrls };

/** One attempt of one dispatch; its own bound of time ends it. */
export const handler = identified(async (event) => {
  const { tenant, ...place } = deliverCallSchema.parse(event);
  await deliverDispatch(ports, tenant, place, new AbortController().signal);
});
