/** Why a tool does not do what it was called for; the message is for the model, and says what to do instead. */
export class ToolFault extends Error {
  override readonly name = 'ToolFault';
}
