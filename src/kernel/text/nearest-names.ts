import { editDistance } from './edit-distance.js';

const MAX_NAMES = 3;
/** Maximum length of a tool's name; a model may send any text. */
const MAX_LENGTH = 64;

/** Returns the names that were probably meant, likeliest first. */
export function nearestNames(wanted: string, names: readonly string[]): string[] {
  const word = normalize(wanted);
  const tolerated = Math.max(1, Math.floor(word.length / 3));
  return names
    .map((name) => ({ name, distance: editDistance(word, normalize(name)) }))
    .filter(({ distance }) => distance <= tolerated)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_NAMES)
    .map(({ name }) => name);
}

function normalize(name: string): string {
  return name
    .slice(0, MAX_LENGTH)
    .toLowerCase()
    .replaceAll(/[_\-. ]/g, '');
}
