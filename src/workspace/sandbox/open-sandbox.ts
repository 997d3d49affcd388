import { Logger } from '@nestjs/common';
import { ConfigError } from '../../config/config-error.js';
import type { Config } from '../../config/config.js';
import { commonPart } from '../../config/tenant-paths.js';
import { MissingSandbox } from './missing-sandbox.js';
import { NoSandbox } from './no-sandbox.js';
import { probeBubblewrap } from './probe-bubblewrap.js';
import type { Sandbox } from './sandbox.js';

type SandboxSettings = Pick<
  Config,
  'auth' | 'sandbox' | 'sandboxNetwork' | 'ownPaths' | 'workspaceDir' | 'workspaceRoots'
>;

/**
 * Opens the sandbox that `SANDBOX` selects, and logs which one it is. A server that knows its users
 * runs commands without one only if `SANDBOX=none` says so.
 * @throws ConfigError if it selects bubblewrap and bubblewrap doesn't work here
 */
export async function openSandbox(
  settings: SandboxSettings,
  probe = probeBubblewrap,
): Promise<Sandbox> {
  const logger = new Logger('Sandbox');
  if (settings.sandbox === 'none') return unconfined(logger, 'SANDBOX=none says so');
  const { sandboxNetwork: network, ownPaths, workspaceDir, workspaceRoots } = settings;
  const hidden = [...ownPaths, workspaceDir, ...workspaceRoots.map(commonPart)];
  const probed = await probe({ network, hidden });
  if (!probed.works && settings.sandbox === 'bwrap') throw refusal(probed.why);
  if (!probed.works && !settings.auth.includes('none'))
    return missing(logger, `of bubblewrap, ${probed.why}`);
  if (!probed.works) return unconfined(logger, `of bubblewrap, ${probed.why}`);
  logger.log(`Commands run in ${probed.sandbox.description}`);
  return probed.sandbox;
}

function unconfined(logger: Logger, why: string): Sandbox {
  logger.warn(`Commands run without a sandbox, with all rights of the server: ${why}`);
  return new NoSandbox();
}

function missing(logger: Logger, why: string): Sandbox {
  logger.warn(`Commands fail, because there is no sandbox and AUTH asks for one: ${why}`);
  return new MissingSandbox(why);
}

function refusal(why: string): ConfigError {
  const problem = `"bwrap" needs bubblewrap, and ${why}. Install it (apt-get install bubblewrap) and let this user make user namespaces; or take SANDBOX=none, and commands run with all rights of the server`;
  return new ConfigError([{ variable: 'SANDBOX', problem }]);
}
