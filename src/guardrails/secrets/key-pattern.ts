/** A run of `min` to `max` characters of a set. */
export interface CharRun {
  readonly chars: ReadonlySet<number>;
  readonly min: number;
  readonly max: number;
}

/**
 * The format of a kind of key: a head, then runs. Each run is greedy and without backtracking: it
 * gives no character back to the next one.
 */
export interface KeyPattern {
  readonly name: string;
  readonly head: string;
  /** The runs that a key has to have. */
  readonly body: readonly CharRun[];
  /** The runs that belong to the key if they follow. */
  readonly rest: readonly CharRun[];
}

/** A key that may continue: it has `taken` characters of the run `run` of `rest`. */
export interface GrowingKey {
  readonly pattern: KeyPattern;
  readonly run: number;
  readonly taken: number;
}

/**
 * Matches a key at `at`. Returns the end of its required part, `wait` if the text ends before that,
 * or undefined if there is no key.
 */
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

/** Extends the key by one character; undefined if the character is not part of it. */
export function growKey({ pattern, run, taken }: GrowingKey, char: number): GrowingKey | undefined {
  for (let i = run, count = taken; i < pattern.rest.length; i++, count = 0) {
    const { chars, max } = pattern.rest[i]!;
    if (count < max && chars.has(char)) return { pattern, run: i, taken: count + 1 };
  }
  return undefined;
}
