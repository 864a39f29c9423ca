import type { Route } from '../route.ts';
import { authRoutes } from './auth.ts';
import { bindingRoutes } from './bindings.ts';
import { cardRoutes } from './cards.ts';
import { connectionRoutes } from './connections.ts';
import { metaRoutes, openApiRoute } from './meta.ts';
import { observationRoutes } from './observations.ts';
import { recordRoutes } from './records.ts';
import { telemetryRoutes } from './telemetry.ts';
import { uploadRoutes } from './uploads.ts';
import { verificationRoutes } from './verification.ts';
import { verifyRecordRoute } from './verify-record.ts';

/** Every route of the service. A fixed segment stands before a parameter in the same place: the first match answers. */
export const routes: readonly Route[] = [
  openApiRoute(() => routes),
  ...metaRoutes,
  ...authRoutes,
  ...uploadRoutes,
  ...cardRoutes,
  ...verificationRoutes,
  ...bindingRoutes,
  ...connectionRoutes,
  ...recordRoutes,
  ...telemetryRoutes,
  ...observationRoutes,
  verifyRecordRoute,
];
