import { readChecked } from '../evidence/read-checked.ts';
import type { Registry } from '../ports/registry.ts';
import type { Artifacts, Evidence } from '../ports.ts';
import { findReferenced } from './find-referenced.ts';

/** Files of Artifact Cards for running code: the manifest from the registry, the bytes from the evidence store. */
export function registryArtifacts(registry: Registry, evidence: Evidence): Artifacts {
  return {
    async file(tenant, artifact, path, signal) {
      const card = await findReferenced(registry, tenant, artifact);
      if (card?.status !== 'active' && card?.status !== 'deprecated') return null;
      const [only, second] = card.manifest;
      const entry =
        path === undefined ? (second ? undefined : only) : card.manifest.find((file) => file.relative_path === path);
      if (!entry) return null;
      const bytes = await readChecked(evidence, tenant, Buffer.from(entry.sha256, 'base64').toString('hex'), signal);
      // Other bytes than the declared ones are no code of this Artifact.
      return bytes === 'mismatch' ? null : bytes;
    },
  };
}
