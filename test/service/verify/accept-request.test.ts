import { expect, it } from 'vitest';
import type { Principal } from '#service/auth/principal.ts';
import { type AcceptPorts, acceptRequest, type VerificationRequest } from '#service/verify/accept-request.ts';

const principal = (permissions: Principal['permissions']): Principal => ({
  tenant: 't',
  id: 'k',
  permissions,
  verifier_uids: null,
  card_uid: null,
});
const request = {
  verifier_card_uid: 'v',
  inputs: { rules: { kind: 'artifact', artifact: { kind: 'Artifact', name: 'rules' } } },
} as Partial<VerificationRequest> as VerificationRequest;
/** Asked for anything, it says so: the refusal comes before. */
const ports = new Proxy({}, { get: () => () => Promise.reject(new Error('asked')) }) as AcceptPorts;

it('an Artifact is evidence only for those who may read it', async () => {
  await expect(acceptRequest(ports, principal(new Set(['verifier:run'])), request)).rejects.toMatchObject({
    code: 'WYRD_PERMISSION_403_DENIED_RBAC',
  });
  await expect(
    acceptRequest(ports, principal(new Set(['verifier:run', 'artifacts:read'])), request),
  ).rejects.not.toMatchObject({ code: 'WYRD_PERMISSION_403_DENIED_RBAC' });
});
