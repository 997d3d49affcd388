/** It can't be told what a shell would do. The message is the end of a sentence that begins with the command. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
