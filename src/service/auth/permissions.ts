import type { Role } from '../ports/keys.ts';

/** docs/spec/wire.md §2.4. */
export const permissions = [
  'cards:read',
  'cards:write',
  'cards:delete',
  'artifacts:read',
  'artifacts:write',
  'verifier:run',
  'tool:invoke',
  'operators:read',
  'operators:write',
  'bifrost_record:write',
  'audit:read',
  'evidence:delete',
] as const;

export type Permission = (typeof permissions)[number];

const viewer: readonly Permission[] = ['cards:read', 'artifacts:read', 'operators:read', 'audit:read'];
const workload: readonly Permission[] = [...viewer, 'verifier:run', 'tool:invoke', 'bifrost_record:write'];
const editor: readonly Permission[] = [...workload, 'cards:write', 'artifacts:write'];

/** viewer ⊂ workload ⊂ editor ⊂ admin. */
export const rolePermissions: Readonly<Record<Role, readonly Permission[]>> = {
  viewer,
  workload,
  editor,
  admin: permissions,
};

export function isPermission(text: unknown): text is Permission {
  return permissions.some((permission) => permission === text);
}
