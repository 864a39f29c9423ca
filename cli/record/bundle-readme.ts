import type { Statement } from '#contract/record.ts';

/** What a stranger is told who was handed the folder. Ids and digests only: nothing of the evidence is repeated here. */
export function bundleReadme({ predicate }: Statement, missing: readonly string[]): string {
  const { execution_id, verdict, ended_at, verifier, subject } = predicate;
  const gaps = missing.length === 0 ? '' : `\nNot here:\n\n${missing.map((text) => `- ${text}`).join('\n')}\n`;
  return `# Record of execution ${execution_id}

${verifier.kind} ${verifier.name}@${verifier.version ?? '?'} judged ${subject.kind} ${subject.name}@${subject.version ?? '?'}: **${verdict}**, ${ended_at}.

| file | what it is |
|---|---|
| record.json | the signed statement (a DSSE envelope over an in-toto Statement v1), the delegation of its key, and its place in the log |
| keys.json | the public root keys, as the service publishes them |
| result.json | the result document that the record is of |
| cards/ | the Cards that judged and were judged, and all that they name |
| evidence/ | what was judged, a file a slot; evidence/files/ are files of Cards |
${gaps}
## Check it

    touchstone record verify .

answers \`valid\`, \`invalid\` or \`undecidable\` and lists every defect; no network is used. The keys in keys.json came from the same
place as the record: compare their ids (\`kid\`) with what you fetched yourself, at another time or from somebody else, from
\`/.well-known/touchstone/keys.json\` of the service. With a key set of your own: \`touchstone record verify . --keys mine.json\`.

Without our program: the bytes that were signed are \`DSSEv1 SP len(type) SP type SP len(payload) SP payload\` (the payload decoded from
base64), the signature is 64 raw bytes (Ed25519, or ECDSA over P-256 as r ‖ s). Any library of DSSE reads it:

    from securesystemslib.dsse import Envelope

The first subject of the statement is the SHA-256 of result.json in canonical JSON (RFC 8785) without its member \`record\`; the others
are those of the evidence: of the file, or of the canonical JSON.

## What it does not show

That the evidence is true, complete, or was taken when claimed; that a model would answer the same again; that the holder of the key is
honest. A checkpoint that you kept earlier shows whether the log was rewritten since:
\`touchstone record verify . --checkpoint kept.json\`.
`;
}
