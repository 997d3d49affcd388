/** Abort reason of a graceful shutdown: results are still saved until the grace period is over. */
export class ServerStopped extends Error {
  override readonly name = 'ServerStopped';
  graceIsOver = false;

  constructor() {
    super('The server was stopped.');
  }
}
