import { AppError } from '../../kernel/app-error.js';
import { Sandbox } from './sandbox.js';

/**
 * For a server with users of its own on a host without a sandbox: no command runs, since it could
 * read their data and act as any of them.
 */
export class MissingSandbox extends Sandbox {
  readonly kind = 'missing';
  readonly description: string;
  readonly wrappers = 0;

  /** @param why the end of a sentence */
  constructor(private readonly why: string) {
    super();
    this.description = `no sandbox, so no command runs: ${why}`;
  }

  confine(): Promise<string[]> {
    return Promise.reject(
      new AppError(
        'unavailable',
        'sandbox_missing',
        `Commands run only in a sandbox on a server with users, and there is none: ${this.why}. Its operator can install bubblewrap, or set SANDBOX=none to run them with all rights of the server. Do without commands.`,
      ),
    );
  }
}
