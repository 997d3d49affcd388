// The characters that a regular expression tells apart.

/** One of each kind that classes and properties of characters distinguish. */
const SAMPLES = [
  ...Array.from({ length: 0x180 }, (_, code) => code),
  ...[0x301, 0x3a3, 0x431, 0x5d0, 0x661, 0x1680, 0x200b, 0x200d, 0x2003, 0x2028, 0x20ac, 0x20e3],
  ...[0x212a, 0x2800, 0x3042, 0x4e2d, 0xd800, 0xdc00, 0xe000, 0xfe0f, 0xfeff, 0xffff, 0x1f600],
];

const memberships = new Map();

/**
 * @param sets the places of characters in the pattern
 * @returns {{ letters: string[], matches(set: number, letter: string): boolean }} one letter for
 *   all characters that are in the same sets
 */
export function alphabetOf(sets, flags) {
  const own = sets.flatMap(({ element }) => edgesOf(element));
  const samples = [...new Set([...SAMPLES, ...own])].map((code) => String.fromCodePoint(code));
  const tests = sets.map(({ element }) => membershipOf(element.raw, flags));
  const kinds = new Map();
  for (const sample of samples) {
    const kind = tests.map((has) => (has(sample) ? '1' : '0')).join('');
    const known = kinds.get(kind);
    if (known === undefined || rank(sample) > rank(known)) kinds.set(kind, sample);
  }
  const isIn = new Map([...kinds].map(([kind, letter]) => [letter, kind]));
  return {
    letters: [...isIn.keys()],
    matches: (set, letter) => isIn.get(letter)[set] === '1',
  };
}

/** Characters at the edges of what the pattern names. */
function edgesOf(element) {
  const { type } = element;
  if (type === 'Character') return [element.value];
  if (type === 'CharacterClassRange')
    return [element.min.value, element.max.value].flatMap((code) => [
      code,
      Math.max(0, code - 1),
      Math.min(0x10ffff, code + 1),
    ]);
  return (element.elements ?? []).flatMap(edgesOf);
}

function membershipOf(raw, flags) {
  const key = `${flags} ${raw}`;
  let has = memberships.get(key);
  if (has) return has;
  const whole = new RegExp(`^(?:${raw})$`, flags.replace(/[gmy]/g, ''));
  const known = new Map();
  has = (sample) => {
    if (!known.has(sample)) known.set(sample, whole.test(sample));
    return known.get(sample);
  };
  memberships.set(key, has);
  return has;
}

/** What reads best in a message. */
function rank(character) {
  return /[a-z0-9]/.test(character) ? 2 : Number(/[\x20-\x7e]/.test(character));
}
