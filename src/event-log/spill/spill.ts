import { Logger } from '@nestjs/common';
import { AppError } from '../../kernel/app-error.js';
import { KeyedMutex } from '../../kernel/keyed-mutex.js';
import type { Stores } from '../../persistence/stores.js';
import type { AppendBatch } from '../../persistence/rows/store-rows.js';
import type { SpillFolder } from './spill-folder.js';
import { decodeSpill, encodeSpill } from './spill-lines.js';

/** What became of an interaction's unsaved records: there were none, they are in the store, or they never can be. */
export type Settled = 'nothing' | 'saved' | 'aside';

/**
 * The records that a run had to leave behind while the store was away. They are saved with the epoch of that run when it is back, before
 * anybody of this process takes the interaction up; if another run was faster, they are set aside and reported. Nobody has seen them (I1).
 */
export class Spill {
  private readonly logger = new Logger('Spill');
  private readonly mutex = new KeyedMutex();
  private readonly waiting = new Set<string>();
  /** Whose run was cut off by an outage, and was not taken up since. */
  private readonly cutOff = new Set<string>();

  /** @param folder none: what can't be saved is lost, and its interaction goes on from what is saved */
  constructor(
    private readonly stores: Pick<Stores, 'interactions' | 'records' | 'leases'>,
    private readonly folder?: SpillFolder,
  ) {}

  /** Takes note of what earlier processes have left. */
  async open(): Promise<void> {
    for (const id of (await this.folder?.list()) ?? []) {
      this.waiting.add(id);
      this.cutOff.add(id);
    }
    const aside = (await this.folder?.listAside()) ?? [];
    if (this.waiting.size > 0)
      this.logger.log(`${this.waiting.size} interactions have records to be saved.`);
    if (aside.length > 0)
      this.logger.warn(
        `Records that could not be saved are kept in ${aside.join(', ')}. Remove the files when nobody needs them.`,
      );
  }

  /** Interactions with unsaved records. */
  get count(): number {
    return this.waiting.size;
  }

  ids(): readonly string[] {
    return [...this.waiting];
  }

  /** Keeps an append that could not be saved. Answers whether it could. */
  async keep(batch: AppendBatch): Promise<boolean> {
    const { folder } = this;
    const { interaction_id: id, records } = batch;
    this.noteOutage(id);
    if (!folder) return false;
    try {
      await this.mutex.run(id, () => folder.add(id, encodeSpill(batch)));
      this.waiting.add(id);
      return true;
    } catch (error) {
      const what = `${records.length} records of ${id} could be saved neither in the store nor in DATA_DIR/spill, and are lost.`;
      this.logger.error(error, `${what} The interaction goes on from what is saved.`);
      return false;
    }
  }

  /** The run of an interaction ended because the store was away. */
  noteOutage(interactionId: string): void {
    this.cutOff.add(interactionId);
  }

  /** Whether that is why it has no run; asked once, by whoever takes it up. */
  takeOutage(interactionId: string): boolean {
    return this.cutOff.delete(interactionId);
  }

  /**
   * Saves what is unsaved of an interaction, and lets go of the lease that its run had.
   * @throws AppError `store_unavailable`: try again
   */
  async settle(interactionId: string): Promise<Settled> {
    const { folder } = this;
    if (!folder || !this.waiting.has(interactionId)) return 'nothing';
    return this.mutex.run(interactionId, async () => {
      const text = await folder.read(interactionId);
      const settled = text === undefined ? 'nothing' : await this.save(folder, interactionId, text);
      this.waiting.delete(interactionId);
      return settled;
    });
  }

  private async save(folder: SpillFolder, id: string, text: string): Promise<Settled> {
    const { batches, torn_lines } = decodeSpill(text);
    for (const batch of batches) {
      const problem = await this.tryToSave(batch);
      if (problem === undefined) continue;
      this.logger.error(
        `Records of ${id} can't be saved: ${problem}. Nobody has seen them. They are kept in ${await folder.setAside(id)}: look at what the interaction did last, then remove the file.`,
      );
      return 'aside';
    }
    if (torn_lines > 0) await this.reportTorn(folder, id, torn_lines);
    else await folder.remove(id);
    const last = batches.at(-1);
    if (last && !last.end) await this.stores.leases.releaseLease(id, last.epoch).catch(() => {}); // it lapses by itself then
    this.logger.log(`${id}: what it could not save while the store was away is saved.`);
    return 'saved';
  }

  private async reportTorn(folder: SpillFolder, id: string, lines: number): Promise<void> {
    this.logger.warn(
      `The last ${lines} lines of what ${id} could not save are torn and were left out; the rest is saved. They are kept in ${await folder.setAside(id)}.`,
    );
  }

  /** Answers why it never can be saved, if so. */
  private async tryToSave(batch: AppendBatch): Promise<string | undefined> {
    try {
      const [outcome] = await this.stores.records.append([batch]);
      return outcome === 'written' ? undefined : await this.whyFenced(batch);
    } catch (error) {
      if (!(error instanceof AppError) || error.kind === 'unavailable') throw error;
      return `the store refused them (${error.message})`;
    }
  }

  private async whyFenced({ interaction_id, epoch }: AppendBatch): Promise<string> {
    const row = await this.stores.interactions.findInteraction(interaction_id);
    if (!row) return 'the interaction was deleted';
    return row.epoch > epoch
      ? `another run has taken over (${row.epoch}, they are of run ${epoch})`
      : 'the log does not end where they begin';
  }
}
