import { inspect } from 'node:util';

const HIDDEN = '[hidden]';

/** A value that shows itself only when asked: not in JSON, not in a string, not in what `console` or a logger prints. */
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
