import { AppError } from '../../kernel/app-error.js';

/**
 * After this many consecutive losses, an interaction is a suspect: it may be a poison message, one
 * that crashes the process that runs it.
 */
export const SUSPECT_LOSSES = 2;

export class CrashLoop extends AppError {
  constructor(losses: number) {
    super(
      'internal',
      'crash_loop',
      `The server ended unexpectedly ${losses} times in a row while it ran this interaction apart from others like it, so it was given up. Something that the interaction does may crash the server, such as a tool, or take more memory than there is; the server's log may say more. Once the cause is removed, POST to …/retry to take it up again, or edit the message.`,
    );
  }
}
