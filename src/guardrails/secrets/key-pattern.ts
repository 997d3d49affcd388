/** So many characters of these. */
export interface CharRun {
  readonly chars: ReadonlySet<number>;
  readonly min: number;
  readonly max: number;
}

/** How a kind of key looks: a head, then runs, each as long as it gets: none gives a character back to the one after it. */
export interface KeyPattern {
  readonly name: string;
  readonly head: string;
  /** Those that have to come for it to be a key. */
  readonly body: readonly CharRun[];
  /** What belongs to it besides, as far as it comes. */
  readonly rest: readonly CharRun[];
}

/** A key whose end has not come: so many characters of this run of `rest`. */
export interface GrowingKey {
  readonly pattern: KeyPattern;
  readonly run: number;
  readonly taken: number;
}

/** Of a key that begins at `at`: where its certain part ends, `wait` if the text ends before that, or undefined. */
export function matchKey(
  { head, body }: KeyPattern,
  text: string,
  at: number,
): number | 'wait' | undefined {
  const left = text.length - at;
  if (left < head.length) return head.startsWith(text.slice(at)) ? 'wait' : undefined;
  if (!text.startsWith(head, at)) return undefined;
  let end = at + head.length;
  for (const [i, run] of body.entries()) {
    const isLast = i === body.length - 1;
    const from = end;
    while (end < text.length && end - from < (isLast ? run.min : run.max)) {
      if (!run.chars.has(text.charCodeAt(end))) break;
      end++;
    }
    const taken = end - from;
    if (end === text.length && (taken < run.min || !isLast)) return 'wait';
    if (taken < run.min) return undefined;
  }
  return end;
}

/** The key with one more character, or undefined where that is no part of it. */
export function growKey({ pattern, run, taken }: GrowingKey, char: number): GrowingKey | undefined {
  for (let i = run, count = taken; i < pattern.rest.length; i++, count = 0) {
    const { chars, max } = pattern.rest[i]!;
    if (count < max && chars.has(char)) return { pattern, run: i, taken: count + 1 };
  }
  return undefined;
}
