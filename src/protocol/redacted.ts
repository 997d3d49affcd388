/** Number of texts that were redacted, by the name of the pattern or of the kind of secret. */
export type RedactedCounts = Readonly<Record<string, number>>;

/** `email (2×), GitHub token (1×)` */
export function describeRedacted(counts: RedactedCounts): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} (${count}×)`)
    .join(', ');
}
