/** A call that the script makes. */
export interface DemoCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** One turn of the script, as a whole. */
export interface DemoTurn {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly DemoCall[];
  /** How many times slower than usual it comes. */
  readonly slowness?: number;
}
