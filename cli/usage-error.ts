/** The command was given something it cannot work with; the message is for the person who typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
