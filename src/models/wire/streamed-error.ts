/** The server reported an error where a chunk was due. `detail` is what it sent. */
export class StreamedError extends Error {
  constructor(readonly detail: unknown) {
    super('The server reported an error in its stream');
  }
}
