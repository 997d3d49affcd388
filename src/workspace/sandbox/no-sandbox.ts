import { countThreads } from '../processes/count-threads.js';
import { Sandbox } from './sandbox.js';
import { MAX_PROCESSES, withLimits } from './with-limits.js';

/** Commands run unconfined, with the server's privileges. */
export class NoSandbox extends Sandbox {
  readonly kind = 'none';
  readonly description = 'no sandbox: with all rights of the server';
  readonly wrappers = 0;

  /** The limit includes the processes that the server's user already runs. */
  async confine(command: readonly string[]): Promise<string[]> {
    const running = await countThreads();
    return running === 0 ? [...command] : withLimits(command, running + MAX_PROCESSES);
  }
}
