/** Numbers that look random and follow from a seed: the same choices in each run. */
export class Random {
  #state;

  constructor(seed) {
    this.#state = hash(String(seed));
  }

  /** Another one, whose numbers don't depend on how many of ours were taken. */
  fork(name) {
    return new Random(`${this.#state}/${name}`);
  }

  /** From 0 up to, but not including, 1. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let x = this.#state;
    x = Math.imul(x ^ (x >>> 15), x | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  between(low, high) {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(share) {
    return this.next() < share;
  }

  pick(list) {
    return list[Math.floor(this.next() * list.length)];
  }

  /** A key of `{ [key]: weight }`. */
  weighted(weights) {
    const entries = Object.entries(weights);
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    return (entries.find(([, weight]) => (left -= weight) < 0) ?? entries.at(-1))[0];
  }
}

/** 32 bits of a text. */
export function hash(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++)
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value;
}
