/** A line of a stream, or the data of one event, is longer than we are willing to hold. */
export class LineTooLong extends Error {
  constructor(readonly maxChars: number) {
    super(`A line of the stream is longer than ${maxChars} characters`);
  }
}
