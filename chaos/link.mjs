/** A connection in two halves: what comes from `near` can be kept back, also when `near` is gone. */
export class Link {
  #near;
  #far;
  /** What is kept back; undefined while it flows. */
  #kept;
  #hasEnded = false;

  constructor(near, far, onClosed) {
    this.#near = near.setNoDelay(true);
    this.#far = far.setNoDelay(true);
    near.on('data', (bytes) => (this.#kept ? this.#kept.push(bytes) : far.write(bytes)));
    near.on('error', () => {});
    near.on('close', () => this.#end());
    far.on('data', (bytes) => near.write(bytes));
    far.on('error', () => {});
    far.on('close', () => {
      near.destroy();
      onClosed();
    });
  }

  hold() {
    this.#kept ??= [];
  }

  flow() {
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    for (const bytes of kept) this.#far.write(bytes);
    if (this.#hasEnded) this.#far.end();
  }

  cut() {
    this.#near.destroy();
    this.#far.destroy();
  }

  #end() {
    this.#hasEnded = true;
    if (!this.#kept) this.#far.end();
  }
}
