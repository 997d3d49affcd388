/** A line of a stream, or the data of one event, exceeds the size limit. */
export class LineTooLong extends Error {
  constructor(readonly maxChars: number) {
    super(`A line of the stream is longer than ${maxChars} characters`);
  }
}
