/** One session that brings one file (docs/spec/wire.md §5). */
export interface Upload {
  /** `wyu_` + UUIDv7. */
  readonly upload_id: string;
  readonly purpose: 'evidence' | 'artifact';
  /** Lower hex. */
  readonly sha256: string;
  readonly size_bytes: number;
  readonly content_type: string | null;
  /** The Card and path it belongs to; null for evidence. */
  readonly card_uid: string | null;
  readonly relative_path: string | null;
  readonly status: 'pending' | 'completed' | 'failed';
  /** Milliseconds since the epoch. */
  readonly created_at: number;
}

export interface Uploads {
  open(tenant: string, uploads: readonly Upload[]): Promise<void>;
  find(tenant: string, uploadId: string): Promise<Upload | null>;
  /** The newest session of each file of a Card. */
  ofCard(tenant: string, cardUid: string): Promise<readonly Upload[]>;
  /** Pending → settled; a settled session never changes. */
  settle(tenant: string, uploadId: string, status: 'completed' | 'failed'): Promise<void>;
}

/** How the bytes of a session travel (docs/spec/wire.md §5.2). */
export type UploadPlan =
  | { readonly protocol: 'local_fs'; readonly data: { readonly put_url: string; readonly ttl_secs: number } }
  | {
      readonly protocol: 'single_put';
      readonly data: {
        readonly put_url: string;
        readonly ttl_secs: number;
        readonly required_headers: readonly { readonly name: string; readonly value: string }[];
      };
    }
  /** For files of Artifacts over 100 MiB: each part gets a link of its own. */
  | {
      readonly protocol: 'multipart';
      readonly data: {
        readonly part_count: number;
        readonly part_size_bytes: number;
        readonly part_url_ttl_secs: number;
        readonly required_headers: readonly { readonly name: string; readonly value: string }[];
      };
    };

/** Where a client sends and fetches bytes: paths of this host, or links signed by the object store. */
export interface Transfers {
  uploadPlan(tenant: string, upload: Upload): Promise<UploadPlan>;
  /** Only where a plan may be `multipart`. */
  readonly parts?: PartTransfers;
  downloadUrl(
    tenant: string,
    file: { readonly card_uid: string; readonly relative_path: string; readonly sha256: string },
    ttlSeconds: number,
  ): Promise<string>;
}

/** A file that travels in parts. Parts may be sent again, in any order and at the same time. */
export interface PartTransfers {
  /** Null when the session does not travel in parts, or has no part of that number (from 1). */
  partUrl(
    tenant: string,
    upload: Upload,
    part: number,
  ): Promise<{ readonly url: string; readonly ttl_secs: number } | null>;
  /** Puts the parts together under the declared digest; durable when it is `stored`. May be asked again. */
  assemble(tenant: string, upload: Upload): Promise<'stored' | 'incomplete' | 'sha256_mismatch'>;
}
