import { z } from 'zod';
import type { CardRef } from '#contract/cards/reference.ts';
import { exportedRecordSchema, type KeySet, keySetSchema } from '#contract/record.ts';
import { artifactsSchema, downloadPlanSchema } from '#contract/requests/cards.ts';
import { shownCheckpointSchema } from '#contract/requests/checkpoints.ts';
import { decode } from './decode.ts';
import type { Transport } from './transport.ts';

export type ExportedRecord = z.infer<typeof exportedRecordSchema>;
export type ShownCheckpoint = z.infer<typeof shownCheckpointSchema>;

const bytesSchema = z.instanceof(Uint8Array);

/** Records, and what is held beside them to check them (docs/spec/records.md). */
export function recordCalls(transport: Transport) {
  const get = (path: string) => ({ method: 'GET', path, repeatable: true }) as const;
  return {
    /** The signed record, and its place in the log once a checkpoint holds it. */
    getRecord(executionId: string): Promise<ExportedRecord> {
      return transport.call(get(`/v1/records/${encodeURIComponent(executionId)}`), exportedRecordSchema);
    },
    /** A checkpoint now, or the last one when that is younger than a minute. */
    closeCheckpoint(): Promise<ShownCheckpoint> {
      return transport.call({ method: 'POST', path: '/v1/checkpoints', repeatable: true }, shownCheckpointSchema);
    },
    /** Root keys of the service; needs no credential. */
    async getKeys(): Promise<KeySet> {
      return decode(keySetSchema, await transport.send(get('/.well-known/touchstone/keys.json')));
    },
    /** The bytes of a file that an execution judged. */
    getInputFile(executionId: string, slot: string): Promise<Uint8Array> {
      const path = `/v1/verification/executions/${encodeURIComponent(executionId)}/evidence/${encodeURIComponent(slot)}`;
      return transport.call({ ...get(path), accept: 'bytes' }, bytesSchema);
    },
    /** Files of a Card: their manifest, and their bytes. */
    async listCardFiles(uid: string): Promise<z.infer<typeof artifactsSchema>['artifacts']> {
      return (await transport.call(get(`/v1/cards/${encodeURIComponent(uid)}/artifacts`), artifactsSchema)).artifacts;
    },
    async getCardFile({ uid = '' }: Pick<CardRef, 'uid'>, relativePath: string): Promise<Uint8Array> {
      const body = JSON.stringify({ card_uid: uid, relative_path: relativePath });
      const headers = { 'content-type': 'application/json' };
      const asked = { method: 'POST', path: '/v1/cards/download/init', headers, body, repeatable: true } as const;
      const { get_url } = (await transport.call(asked, downloadPlanSchema)).plan;
      const request = { ...get(get_url), accept: 'bytes' } as const;
      // A link of a store carries its own permission; our token is not its to see.
      if (get_url.startsWith('/')) return transport.call(request, bytesSchema);
      return decode(bytesSchema, await transport.send(request));
    },
  };
}
