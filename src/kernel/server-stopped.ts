/** Why work is aborted when the server stops in order: what came of it is still written down, until the grace is over. */
export class ServerStopped extends Error {
  override readonly name = 'ServerStopped';
  graceIsOver = false;

  constructor() {
    super('The server was stopped.');
  }
}
