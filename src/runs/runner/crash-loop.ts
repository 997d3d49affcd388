import { AppError } from '../../kernel/app-error.js';

/** After so many runs in a row that were lost without a record, an interaction is given up. */
export const MAX_LOSSES = 3;

/** The server ended again and again while it ran an interaction. */
export class CrashLoop extends AppError {
  constructor(losses: number) {
    super(
      'internal',
      'crash_loop',
      `The server ended unexpectedly ${losses} times in a row while it ran this interaction, which was given up so that it does not happen again. Something that the interaction does may crash the server, such as a tool, or take more memory than there is; the server's log may say more. Edit the message to try again.`,
    );
  }
}
