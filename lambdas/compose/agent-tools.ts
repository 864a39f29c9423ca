import { boundedArchives } from '#adapters/extract/archives.ts';
import { processQueries } from '#adapters/tables/table-queries.ts';
import { recordedRows } from '#service/agent/recorded-rows.ts';
import type { DrivePorts } from '#service/drive/performing.ts';
import { stores } from './host.ts';

/** What agents' tools reach, for the functions that perform agents; kept apart from what every function loads. */
export function agentTools(): NonNullable<DrivePorts['tools']> {
  return {
    registry: stores.registry,
    archives: boundedArchives(),
    recordedRows: recordedRows({ spans: stores.spans, observations: stores.observations }),
    tableQueries: processQueries(),
  };
}
