/** The program that an interpreter runs, once. */
export interface Program {
  readonly code: string;
  /** Four 32-bit numbers that seed all random generators. */
  readonly seed: readonly number[];
  /** Start time of the program's clock, in milliseconds. */
  readonly now: number;
}

export interface ProgramListener {
  /** Receives standard output and standard error together, in the order of printing. */
  onOutput(bytes: Buffer): void;
  /** Receives one line of JSON; the program blocks until the answer, also a line of JSON. */
  onRequest(request: string): Promise<string>;
}

export type ProgramEnd =
  /**
   * `value`: the representation of its last expression; null: there is none, or it is None.
   * `failed`: an exception ended the program.
   */
  | { readonly kind: 'ended'; readonly value: string | null; readonly failed: boolean }
  /** It exited without a normal end of Python. */
  | { readonly kind: 'exited'; readonly code: number }
  /** It called a function that is forbidden. */
  | { readonly kind: 'refused'; readonly name: string }
  | { readonly kind: 'crashed'; readonly why: string }
  | { readonly kind: 'stopped' };
