import { cutText } from '../kernel/text/cut-text.js';

/**
 * `refused`: the path leads out of the workspace, or may do so. `missing`: nothing is there.
 * `unsuitable`: the file is not of the requested kind, or can't be used safely.
 */
export type WorkspaceFaultCode = 'refused' | 'missing' | 'unsuitable';

/**
 * An operation in a workspace has failed. The message is for the model and contains no path of the
 * host.
 */
export class WorkspaceFault extends Error {
  override readonly name = 'WorkspaceFault';

  constructor(
    readonly code: WorkspaceFaultCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export function refused(path: string, why: string): WorkspaceFault {
  return new WorkspaceFault('refused', `${quoted(path)} is refused: ${why}.`);
}

export function missing(path: string): WorkspaceFault {
  return new WorkspaceFault('missing', `There is no ${quoted(path)} in the workspace.`);
}

export function unsuitable(path: string, why: string): WorkspaceFault {
  return new WorkspaceFault('unsuitable', `${quoted(path)} ${why}.`);
}

function quoted(path: string): string {
  return JSON.stringify(path.length > 200 ? `${cutText(path, 200)}…` : path);
}
