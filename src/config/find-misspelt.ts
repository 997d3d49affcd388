/** Shorter names resemble too much that other programs read. */
const MIN_LENGTH = 8;
const MAX_EDITS = 2;

/** A warning for each given variable that looks like one of ours but isn't: `LEASE_TTL`, `OPENAI_APIKEY`. */
export function findMisspelt(given: readonly string[], known: readonly string[]): string[] {
  return given
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = known.find((candidate) => resembles(name, candidate));
      return meant ? [`${name} is not a variable of ours; did you mean ${meant}?`] : [];
    });
}

function resembles(name: string, known: string): boolean {
  if (squeeze(name) === squeeze(known) || `${name}_MS` === known) return true;
  return known.length >= MIN_LENGTH && editDistance(name, known) <= MAX_EDITS;
}

function squeeze(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/** How many letters have to be inserted, removed or replaced to get from one to the other (Levenshtein); infinite if obviously many. */
function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > MAX_EDITS) return Infinity;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const replaced = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? Infinity;
}
