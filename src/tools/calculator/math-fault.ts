/** Why an expression has no answer; the message is for the model. */
export class MathFault extends Error {
  override readonly name = 'MathFault';
}
