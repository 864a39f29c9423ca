import { alarmCallSchema } from '#contract/aws-functions.ts';
import { ring } from '#service/alarms/ring-due.ts';
import { identified } from './compose/call-ids.ts';
import { ringPorts } from './compose/ring-ports.ts';

/** Rings the row that a one-time schedule names; the row decides whether it is due. */
export const handler = identified((event) => ring(ringPorts(), alarmCallSchema.parse(event).ring));
