/**
 * Removes pieces of a text, large ones first, as long as it stays interesting. The number of trials
 * is bounded.
 */
export async function shrinkScript(
  script: string,
  isInteresting: (candidates: readonly string[]) => Promise<readonly boolean[]>,
): Promise<string> {
  let best = script;
  for (let size = Math.ceil(best.length / 2); size >= 1;) {
    const shorter = withoutPieces(best, size);
    const found = shorter[(await isInteresting(shorter)).indexOf(true)];
    if (found !== undefined) best = found;
    else size = Math.floor(size / 2);
  }
  return best;
}

function withoutPieces(text: string, size: number): string[] {
  const step = Math.max(1, Math.ceil(size / 2));
  const count = Math.ceil(text.length / step);
  const all = Array.from(
    { length: count },
    (_, n) => text.slice(0, n * step) + text.slice(n * step + size),
  );
  return [...new Set(all)].filter((candidate) => candidate !== text && candidate !== '');
}
