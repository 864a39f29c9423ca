/** Why a document gives no output; `message` names limits and forms, never content. */
export class ExtractFailure extends Error {
  readonly code: 'extract_unreadable' | 'extract_limit';

  constructor(message: string, options: ErrorOptions & { readonly code: ExtractFailure['code'] }) {
    super(message, options);
    this.code = options.code;
  }
}
