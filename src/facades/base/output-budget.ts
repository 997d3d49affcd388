/** Characters of results of tools in a state, or an answer, that has all of an interaction. */
const MAX_LENGTH = 4 * 1024 * 1024;

/** Leaves out results of tools of which a long run has too many to show them at once. */
export class OutputBudget {
  private left = MAX_LENGTH;

  /** The result, or a note in its place. */
  take(output: string): string {
    if (output.length > this.left)
      return `[${output.length} characters are left out here. The events of the interaction have them.]`;
    this.left -= output.length;
    return output;
  }
}
