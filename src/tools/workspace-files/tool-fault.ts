/**
 * The reason why a tool refuses a call. The message is for the model and says what to do instead.
 */
export class ToolFault extends Error {
  override readonly name = 'ToolFault';
}
