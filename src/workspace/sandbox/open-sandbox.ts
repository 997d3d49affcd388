import { Logger } from '@nestjs/common';
import { ConfigError } from '../../config/config-error.js';
import type { Config } from '../../config/config.js';
import { NoSandbox } from './no-sandbox.js';
import { probeBubblewrap } from './probe-bubblewrap.js';
import type { Sandbox } from './sandbox.js';

type SandboxSettings = Pick<
  Config,
  'sandbox' | 'sandboxNetwork' | 'ownPaths' | 'workspaceDir' | 'workspaceRoots'
>;

/**
 * Opens the sandbox that `SANDBOX` selects, and logs which one it is.
 * @throws ConfigError if it selects bubblewrap and bubblewrap doesn't work here
 */
export async function openSandbox(settings: SandboxSettings): Promise<Sandbox> {
  const logger = new Logger('Sandbox');
  if (settings.sandbox === 'none') return unconfined(logger, 'SANDBOX=none says so');
  const { sandboxNetwork: network, ownPaths, workspaceDir, workspaceRoots } = settings;
  const hidden = [...ownPaths, workspaceDir, ...workspaceRoots];
  const probed = await probeBubblewrap({ network, hidden });
  if (!probed.works && settings.sandbox === 'bwrap') throw refusal(probed.why);
  if (!probed.works) return unconfined(logger, `of bubblewrap, ${probed.why}`);
  logger.log(`Commands run in ${probed.sandbox.description}`);
  return probed.sandbox;
}

function unconfined(logger: Logger, why: string): Sandbox {
  logger.warn(`Commands run without a sandbox, with all rights of the server: ${why}`);
  return new NoSandbox();
}

function refusal(why: string): ConfigError {
  const problem = `"bwrap" needs bubblewrap, and ${why}. Install it (apt-get install bubblewrap) and let this user make user namespaces; or take SANDBOX=none, and commands run with all rights of the server`;
  return new ConfigError([{ variable: 'SANDBOX', problem }]);
}
