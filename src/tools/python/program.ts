/** What an interpreter runs, once. */
export interface Program {
  readonly code: string;
  /** Four 32-bit numbers that all randomness comes from. */
  readonly seed: readonly number[];
  /** What the clock starts with, in milliseconds. */
  readonly now: number;
}

export interface ProgramListener {
  /** In the order in which it was printed, output and errors in one. */
  onOutput(bytes: Buffer): void;
  /** A line of JSON; the program waits for the answer, which is another. */
  onRequest(request: string): Promise<string>;
}

export type ProgramEnd =
  /** `value`: the representation of its last expression; null: it has none, or it is None. `failed`: it ended by an exception. */
  | { readonly kind: 'ended'; readonly value: string | null; readonly failed: boolean }
  /** It left without an ending of Python's. */
  | { readonly kind: 'exited'; readonly code: number }
  /** It called what no program may. */
  | { readonly kind: 'refused'; readonly name: string }
  | { readonly kind: 'crashed'; readonly why: string }
  | { readonly kind: 'stopped' };
