import type { Config } from '../config/config.js';
import { AppError } from '../kernel/app-error.js';

/** Names the variable to change. */
export function describeListenFault(
  cause: unknown,
  { port, host }: Pick<Config, 'port' | 'host'>,
): unknown {
  const { code = '' } = cause as NodeJS.ErrnoException;
  const problem = {
    EADDRINUSE: `PORT=${port} is in use on ${host}: another program listens there (EADDRINUSE). Stop it, or set another PORT`,
    EACCES: `PORT=${port} needs privileges that this user lacks (EACCES). Set a PORT above 1023`,
    EADDRNOTAVAIL: `HOST=${host} is no address of this machine. Set HOST to one of its addresses, or to 0.0.0.0 for all`,
    ENOTFOUND: `HOST=${host} can't be resolved. Set HOST to an address of this machine`,
    EAI_AGAIN: `HOST=${host} can't be resolved at the moment. Set HOST to an address of this machine`,
  }[code];
  return problem ? new AppError('unavailable', 'cannot_listen', `${problem}.`, { cause }) : cause;
}
