import { Logger } from '@nestjs/common';
import { findAgentCode } from '../runs/agent-context/agent-code.js';

const EXIT_FAILED = 1;

/**
 * What somebody's agent leaves to itself must not end everybody's runs. A promise that nobody waits for changes nothing for its agent; one
 * whose timer throws may wait for ever, so it ends. After an exception of anybody else's nothing is certain any more: the process ends, and
 * another one goes on.
 */
export function handleUncaughtErrors(): void {
  const logger = new Logger('Parley');
  process.on('unhandledRejection', (reason) =>
    logger.error({
      message: `${ofWhom()}A promise was rejected that nobody waited for.`,
      err: reason,
    }),
  );
  process.on('uncaughtException', (error) => {
    const code = findAgentCode();
    const fate = code ? 'It ends.' : 'The server ends.';
    logger.error({ message: `${ofWhom()}An exception was not caught. ${fate}`, err: error });
    if (code) code.fail(error);
    else process.exit(EXIT_FAILED);
  });
}

function ofWhom(): string {
  const code = findAgentCode();
  return code ? `${code.interaction_id}: the code of ${code.agent_id}: ` : '';
}
