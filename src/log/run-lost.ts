/** The run doesn't own its interaction any more: it has to stop, silently. Control flow, never shown to anybody. */
export class RunLost extends Error {
  override readonly name = 'RunLost';

  constructor() {
    super('another run has taken over this interaction');
  }
}
