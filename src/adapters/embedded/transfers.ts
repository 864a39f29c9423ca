import type { Transfers } from '#service/ports/uploads.ts';

/** Paths of the host itself, called with the caller's own token (docs/spec/wire.md §4.7, §5.3). */
export const localTransfers: Transfers = {
  uploadPlan: async (_tenant, upload) => ({
    protocol: 'local_fs',
    data: { put_url: `/v1/cards/upload/local/${upload.upload_id}`, ttl_secs: 86_400 },
  }),
  downloadUrl: async (_tenant, file) => {
    const query = new URLSearchParams({ card_uid: file.card_uid, relative_path: file.relative_path });
    return `/v1/cards/download/local?${query.toString()}`;
  },
};
