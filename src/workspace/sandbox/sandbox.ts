export type SandboxKind = 'bubblewrap' | 'none';

/** Port: what stands between a command and the rest of the host. */
export abstract class Sandbox {
  abstract readonly kind: SandboxKind;
  /** What it keeps a command from, in a few words for people. */
  abstract readonly description: string;
  /** How many processes from the first one down are the sandbox's own; when the first of them dies, so does all that runs in it. */
  abstract readonly wrappers: number;

  /** The command line that runs another one, confined to the folder `workspace` (absolute) and starting in it. */
  abstract confine(command: readonly string[], workspace: string): Promise<string[]>;
}
