/** The run doesn't own its interaction any more, and has to stop. Control flow: no client sees it, only the log of the server. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor() {
    super('its lease is over, or another run has taken over this interaction');
  }
}
