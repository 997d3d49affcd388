import { matchKey } from './key-pattern.js';
import type { KeyPattern } from './key-pattern.js';

/** A text that is a secret in every context. */
export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

/**
 * A secret found in a text: its name, the end of its required part, and the pattern by which it may
 * continue.
 */
export interface FoundSecret {
  readonly name: string;
  readonly end: number;
  readonly pattern?: KeyPattern;
}

/**
 * Bounds the text held back during a partial match, in characters: a longer secret is matched in
 * pieces.
 */
const MAX_VALUE = 1024;

/** All secrets to find, indexed by their first character. */
export class SecretBook {
  /** By UTF-16 code unit: 1 if a secret may begin with it. */
  private readonly starts = new Uint8Array(65_536);
  private readonly values = new Map<number, KnownSecret[]>();
  private readonly patterns = new Map<number, KeyPattern[]>();
  /** The longest common beginning of the secrets with one first character. */
  private readonly prefixes = new Map<number, string>();

  constructor(secrets: readonly KnownSecret[], patterns: readonly KeyPattern[]) {
    for (const secret of secrets.flatMap(pieces)) this.add(this.values, secret.value, secret);
    for (const pattern of patterns) this.add(this.patterns, pattern.head, pattern);
    for (const values of this.values.values())
      values.sort((a, b) => b.value.length - a.value.length);
  }

  get isEmpty(): boolean {
    return this.values.size === 0 && this.patterns.size === 0;
  }

  mayBegin(char: number): boolean {
    return this.starts[char] === 1;
  }

  /**
   * `wait`: the result depends on the text that follows. `keys`: true if a key known only by its
   * format may begin here.
   */
  find(
    text: string,
    at: number,
    { keys, isOver }: { keys: boolean; isOver: boolean },
  ): FoundSecret | 'wait' | undefined {
    if (!isBegun(this.prefixes.get(text.charCodeAt(at)) ?? '', text, at)) return undefined;
    const value = this.findValue(text, at);
    if (value === 'wait' && !isOver) return 'wait';
    const known = value === 'wait' ? this.findWhole(text, at) : value;
    const key = keys ? this.findKey(text, at, isOver) : undefined;
    if (key === 'wait') return 'wait';
    if (!known) return key;
    return { ...key, name: known.name, end: Math.max(at + known.value.length, key?.end ?? 0) };
  }

  /** Finds the longest known secret. */
  private findValue(text: string, at: number): KnownSecret | 'wait' | undefined {
    for (const secret of this.values.get(text.charCodeAt(at)) ?? []) {
      if (text.startsWith(secret.value, at)) return secret;
      const left = text.length - at;
      if (left < secret.value.length && secret.value.startsWith(text.slice(at))) return 'wait';
    }
    return undefined;
  }

  private findWhole(text: string, at: number): KnownSecret | undefined {
    const values = this.values.get(text.charCodeAt(at)) ?? [];
    return values.find(({ value }) => text.startsWith(value, at));
  }

  private findKey(text: string, at: number, isOver: boolean): FoundSecret | 'wait' | undefined {
    for (const pattern of this.patterns.get(text.charCodeAt(at)) ?? []) {
      const end = matchKey(pattern, text, at);
      if (end === 'wait' && !isOver) return 'wait';
      if (typeof end === 'number') return { name: pattern.name, end, pattern };
    }
    return undefined;
  }

  private add<T>(map: Map<number, T[]>, text: string, each: T): void {
    const first = text.charCodeAt(0);
    this.starts[first] = 1;
    map.set(first, [...(map.get(first) ?? []), each]);
    this.prefixes.set(first, commonPrefix(this.prefixes.get(first) ?? text, text));
  }
}

/** True if the text has the prefix at `at`, or ends within it. */
function isBegun(prefix: string, text: string, at: number): boolean {
  if (text.length - at < prefix.length) return prefix.startsWith(text.slice(at));
  return text.startsWith(prefix, at);
}

function commonPrefix(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return one.slice(0, length);
}

function pieces({ name, value }: KnownSecret): KnownSecret[] {
  const count = Math.ceil(value.length / MAX_VALUE);
  const size = Math.ceil(value.length / count);
  return Array.from({ length: count }, (_, i) => ({
    name,
    value: value.slice(i * size, (i + 1) * size),
  }));
}
