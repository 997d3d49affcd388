const MAX_ENTRIES = 64;
const FIRST_STRIDE = 64;

/**
 * Offsets of some records of a log, so that a page in its middle is found without reading all
 * records before it. Bounded: when it is full, every second entry is removed and the stride
 * doubles. A log with fewer records than the stride needs no entry.
 */
export class SparseOffsets {
  #stride = FIRST_STRIDE;
  #entries: { readonly seq: number; readonly offset: number }[] = [];

  /**
   * Notes the offset of the line of record `seq`, or of a line before it and after record `seq -
   * 1`.
   */
  note(seq: number, offset: number): void {
    if (seq < (this.#entries.at(-1)?.seq ?? 1) + this.#stride) return;
    this.#entries.push({ seq, offset });
    if (this.#entries.length <= MAX_ENTRIES) return;
    this.#entries = this.#entries.filter((_, i) => i % 2 === 1);
    this.#stride *= 2;
  }

  /** An offset at or before record `seq`. */
  before(seq: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#entries[middle]!.seq <= seq) low = middle + 1;
      else high = middle;
    }
    return this.#entries[low - 1]?.offset ?? 0;
  }
}
