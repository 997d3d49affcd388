/** Back-pressure: the emitted part that the reader has not taken yet. */
export interface Backlog {
  readonly isFull: boolean;
  /** Resolves when the reader has taken enough to go on, or is gone. */
  drained(): Promise<void>;
}
