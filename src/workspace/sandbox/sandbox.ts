/** `missing`: commands need one, and there is none. */
export type SandboxKind = 'bubblewrap' | 'none' | 'missing';

/** Port: isolates a command from the rest of the host. */
export abstract class Sandbox {
  abstract readonly kind: SandboxKind;
  /** The restrictions on commands, in a few words for people. */
  abstract readonly description: string;
  /**
   * Number of processes, from the first one down, that belong to the sandbox itself. When the first
   * of them dies, all processes in the sandbox die.
   */
  abstract readonly wrappers: number;

  /**
   * Returns the command line that runs this command confined to the folder `workspace` (absolute),
   * with that folder as its working directory. It can read `home` (absolute, empty), and not write
   * it.
   */
  abstract confine(command: readonly string[], workspace: string, home?: string): Promise<string[]>;
}
