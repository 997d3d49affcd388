import { inspect } from 'node:util';

const HIDDEN = '[hidden]';

/** A value that only `reveal` shows: not JSON, not string conversion, not `console` or a logger. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toJSON(): string {
    return HIDDEN;
  }

  toString(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
