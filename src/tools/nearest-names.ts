const MOST = 3;
/** No tool's name is longer; a model may send anything. */
const MAX_LENGTH = 64;

/** The names that were probably meant, likeliest first. */
export function nearestNames(wanted: string, names: readonly string[]): string[] {
  const word = normalize(wanted);
  const tolerated = Math.max(1, Math.floor(word.length / 3));
  return names
    .map((name) => ({ name, distance: editDistance(word, normalize(name)) }))
    .filter(({ distance }) => distance <= tolerated)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MOST)
    .map(({ name }) => name);
}

function normalize(name: string): string {
  return name
    .slice(0, MAX_LENGTH)
    .toLowerCase()
    .replaceAll(/[_\-. ]/g, '');
}

/** Levenshtein: how many characters have to be put in, taken out or replaced. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
