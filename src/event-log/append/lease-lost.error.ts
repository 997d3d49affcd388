/**
 * The run doesn't own its interaction any more and stops. Control flow: only the server's log shows
 * it.
 */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor() {
    super('Lease expired or taken over by another run');
  }
}
