import { z } from 'zod';
import { uuidV7Pattern } from '../ids.ts';
import { pageOf, pageQuery } from './page.ts';

const uid = z.string().regex(uuidV7Pattern);
const instant = z.iso.datetime({ offset: true });

/** docs/spec/wire.md §6.7. */
export const bindingStateSchema = z
  .strictObject({
    binding_id: uid,
    owner_card_uid: uid,
    card_uid: uid,
    verifier_card_uid: uid,
    active: z.boolean(),
    readiness: z.enum(['ready', 'baseline_not_ready', 'verifier_unavailable']),
    next_run_at: instant.nullable(),
    last_activated_at: instant.nullable(),
    last_execution_id: uid.nullable(),
    group_end: z.looseObject({ after: z.string() }).optional(),
  })
  .meta({ id: 'BindingState' });

/** docs/spec/wire.md §10. */
export const bindingsQuerySchema = z.strictObject({
  owner: uid.optional(),
  subject: uid.optional(),
  verifier: uid.optional(),
  ...pageQuery,
});

export const bindingsPageSchema = pageOf(bindingStateSchema);

/** docs/spec/background.md §3.6, §4.4. */
export const occurrencesSchema = z
  .strictObject({
    items: z.array(
      z.strictObject({
        at: instant,
        status: z.enum(['admitted', 'errored', 'skipped_inactive', 'skipped_unready', 'missed']),
        execution_id: uid.nullable(),
        group_id: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'Occurrences' });

/** docs/spec/wire.md §10: due time, sources seen, last verdict. */
export const groupSchema = z
  .strictObject({
    owner_card_uid: uid,
    group_id: z.string(),
    bindings: z.array(
      z.strictObject({
        binding_id: uid,
        verifier_card_uid: uid,
        due_at: instant.nullable(),
        sources: z.record(z.string(), z.int().min(0)),
        last_execution_id: uid.nullable(),
        last_verdict: z.enum(['passed', 'failed', 'inconclusive']).nullable(),
      }),
    ),
  })
  .meta({ id: 'Group' });
