export interface Entry {
  readonly key: string;
  readonly group: string;
  readonly label: string;
  readonly run: () => void;
}

const MOST = 50;

/** Entries whose label has all letters of the query in order, the best first; all without one. */
export function matching(entries: readonly Entry[], query: string): readonly Entry[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return entries.slice(0, MOST);
  const scored = entries.flatMap((entry) => {
    const score = scoreOf(entry.label.toLowerCase(), wanted);
    return score === null ? [] : [{ entry, score }];
  });
  // Sorting is stable: of equals the earlier entry.
  return scored
    .sort((a, b) => a.score - b.score)
    .slice(0, MOST)
    .map(({ entry }) => entry);
}

/** Lower is better: at the beginning, at a word, within one, scattered; null: not at all. */
function scoreOf(label: string, wanted: string): number | null {
  const at = label.indexOf(wanted);
  if (at === 0) return 0;
  if (at > 0) return /\w/.test(label[at - 1]!) ? 2 : 1;
  let from = -1;
  let gaps = 0;
  for (const char of wanted.replaceAll(' ', '')) {
    const next = label.indexOf(char, from + 1);
    if (next < 0) return null;
    if (from >= 0) gaps += next - from - 1;
    from = next;
  }
  return 3 + gaps;
}
