/** RFC 3339 with milliseconds, UTC. */
export function toRfc3339(ms: number): string {
  return new Date(ms).toISOString();
}
