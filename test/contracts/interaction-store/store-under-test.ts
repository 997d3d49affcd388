import { EXHAUSTIVE } from '../../support/thoroughness.js';
import type { WholeStore } from '../../support/store/whole-store.js';

export interface OpenedStore {
  readonly store: WholeStore;
  /**
   * Closes the store and answers a new one over the same saved data, as a restarted process would.
   */
  readonly reopen?: () => Promise<WholeStore>;
  /**
   * Reopening takes about a second: by default it is left out where it is one operation among many.
   */
  readonly reopensSlowly?: boolean;
  /** Closes the newest store and removes its data. */
  close(): Promise<void>;
}

/** The store that the suite is talking to at the moment; `reopen` replaces it. */
export class StoreUnderTest {
  #opened: OpenedStore | undefined;
  #store: WholeStore | undefined;

  constructor(private readonly open: () => Promise<OpenedStore>) {}

  get store(): WholeStore {
    if (this.#store === undefined) throw new Error('The store is not open.');
    return this.#store;
  }

  get walksOverRestarts(): boolean {
    return EXHAUSTIVE || !this.#opened?.reopensSlowly;
  }

  async start(): Promise<void> {
    this.#opened = await this.open();
    this.#store = this.#opened.store;
  }

  /** Without `reopen` the same store goes on, which then proves less but nothing wrong. */
  async reopen(): Promise<void> {
    if (this.#opened?.reopen) this.#store = await this.#opened.reopen();
  }

  async stop(): Promise<void> {
    await this.#opened?.close();
  }
}
