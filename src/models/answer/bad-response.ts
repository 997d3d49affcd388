/** A 2xx response whose body is not an answer of a model. */
export class BadResponse extends Error {
  constructor(
    /** The kind of body, such as `HTML`. */
    readonly what: string,
    /** The beginning of the body. */
    readonly sample: string,
  ) {
    super(`The answer is ${what}`);
  }
}
