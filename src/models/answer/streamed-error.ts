/** The server sent an error in place of a chunk. `detail` is its content. */
export class StreamedError extends Error {
  constructor(readonly detail: unknown) {
    super('The server reported an error in its stream');
  }
}
