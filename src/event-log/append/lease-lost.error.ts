/**
 * The run no longer owns its interaction, and stops. Used for control flow: only the server's log
 * shows it.
 */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor(reason = 'Lease expired or taken over by another run') {
    super(reason);
  }
}
