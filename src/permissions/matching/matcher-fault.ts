/**
 * An invalid matcher. The message completes a sentence that begins with the field: "has to be …".
 */
export class MatcherFault extends Error {
  override readonly name = 'MatcherFault';

  constructor(
    /** The invalid field, such as `pattern` or `prefixes.0`. */
    readonly field: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
