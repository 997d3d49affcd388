/** A 2xx whose body is no answer of a model. */
export class BadResponse extends Error {
  constructor(
    /** In words: `HTML`. */
    readonly what: string,
    /** How it begins. */
    readonly sample: string,
  ) {
    super(`The answer is ${what}`);
  }
}
