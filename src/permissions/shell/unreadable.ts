/**
 * The effect of a script in a shell can't be determined. The message is the end of a sentence that
 * begins with the command.
 */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
