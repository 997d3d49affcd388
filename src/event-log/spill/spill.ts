import { Logger } from '@nestjs/common';
import type { DataKey } from '../../encryption/data-key.js';
import type { Encryption } from '../../encryption/encryption.js';
import { KeyedMutex } from '../../kernel/async/keyed-mutex.js';
import { ANY_TENANT } from '../../persistence/any-tenant.js';
import type { AppendBatch } from '../../persistence/rows/append-rows.js';
import { StoreRefused } from '../../persistence/store-refused.error.js';
import { isFinal } from '../../protocol/interaction.js';
import type { Stores } from '../../persistence/stores.js';
import type { SpillFolder } from './spill-folder.js';
import { decodeSpill, encodeSpill, sealSpill } from './spill-lines.js';
import { messageOf } from '../../kernel/app-error.js';

const DELETED = 'the interaction was deleted, so that the file will be removed, too';

/** There were no records; they were saved; or they were set aside because they never can be. */
export type FlushOutcome = 'nothing' | 'saved' | 'aside';

/** How an outage stopped a run: it has unsaved records, or its lease could not be renewed. */
type Outage = 'unsaved' | 'unrenewed';

/**
 * Records that runs could not save while the store was unavailable. They are saved with the epoch
 * of their run when it is back, before this process resumes the interaction; if another run was
 * faster, they are set aside and reported. No reader has seen them (I1).
 */
export class Spill {
  private readonly logger = new Logger('Spill');
  private readonly mutex = new KeyedMutex();
  private readonly waiting = new Set<string>();
  /**
   * Interactions whose run was stopped by an outage, and that were not resumed since; `epoch`: of
   * that run, infinite if it is unknown.
   */
  private readonly cutOff = new Map<string, { readonly epoch: number; readonly outage: Outage }>();

  /**
   * @param folder none: unsaved records are lost, and their interaction resumes from the saved ones
   * @param encryption none: they are kept as they are
   */
  constructor(
    private readonly stores: Pick<Stores, 'interactions' | 'records' | 'leases'>,
    private readonly folder?: SpillFolder,
    private readonly encryption?: Encryption,
  ) {}

  /** Lists the files of earlier processes, and removes what they left half-written. */
  async open(): Promise<void> {
    await this.folder?.removeTemporary();
    for (const id of (await this.folder?.list()) ?? []) {
      this.waiting.add(id);
      this.noteOutage(id, Infinity, 'unsaved');
    }
    const aside = (await this.folder?.listAside()) ?? [];
    if (this.waiting.size > 0)
      this.logger.log(`${this.waiting.size} interactions have spilled records to be saved.`);
    if (aside.length > 0)
      this.logger.warn(
        `Records that could not be saved are kept in ${aside.map(({ path }) => path).join(', ')}. Remove the files when you don't need them.`,
      );
  }

  /** Number of interactions with unsaved records. */
  get count(): number {
    return this.waiting.size;
  }

  ids(): readonly string[] {
    return [...this.waiting];
  }

  /** Keeps an append that could not be saved. False: it could not be kept either. */
  async keep(batch: AppendBatch): Promise<boolean> {
    const { folder } = this;
    const { interaction_id: id, records } = batch;
    this.noteOutage(id, batch.epoch, 'unsaved');
    if (!folder) return false;
    try {
      const lines = await this.encode(batch);
      await this.mutex.run(id, () => folder.add(id, lines));
      this.waiting.add(id);
      return true;
    } catch (error) {
      const lost = `${records.length} records of ${id} could be saved neither in the store nor in DATA_DIR/spill, and are lost.`;
      this.logger.error(error, `${lost} The interaction resumes from the saved ones.`);
      return false;
    }
  }

  /** The run of an interaction ended because the store was unavailable. */
  noteOutage(interactionId: string, epoch: number, outage: Outage): void {
    this.cutOff.set(interactionId, { epoch, outage });
  }

  /** The outage that stopped the run before this epoch; it is told once. */
  takeOutage(interactionId: string, epoch: number): Outage | undefined {
    const cutOff = this.cutOff.get(interactionId);
    this.cutOff.delete(interactionId);
    return cutOff && cutOff.epoch >= epoch - 1 ? cutOff.outage : undefined;
  }

  /**
   * Forgets outages after which another process has resumed the interaction, and removes the files
   * that were set aside of deleted interactions.
   * @throws AppError `store_unavailable`: try again
   */
  async tidy(): Promise<void> {
    for (const [id, { epoch }] of this.cutOff) {
      const row = await this.stores.interactions.findInteraction(id, ANY_TENANT);
      const isOver = !row || isFinal(row.status) || row.epoch > epoch;
      if (isOver && this.cutOff.get(id)?.epoch === epoch) this.cutOff.delete(id);
    }
    await this.removeDeleted();
  }

  /** Removes the files that were set aside of deleted interactions. */
  async removeDeleted(): Promise<void> {
    const { folder, stores } = this;
    for (const { id, path } of (await folder?.listAside()) ?? []) {
      const isKept = await stores.interactions.findInteraction(id, ANY_TENANT);
      if (!isKept) await folder?.removeAside(path);
    }
  }

  /**
   * Saves an interaction's spilled records, and releases the lease of their run.
   * @throws AppError `store_unavailable`: try again
   */
  async flush(interactionId: string): Promise<FlushOutcome> {
    const { folder } = this;
    if (!folder || !this.waiting.has(interactionId)) return 'nothing';
    return this.mutex.run(interactionId, async () => {
      const text = await folder.read(interactionId);
      const outcome = text === undefined ? 'nothing' : await this.save(folder, interactionId, text);
      this.waiting.delete(interactionId);
      return outcome;
    });
  }

  private async encode(batch: AppendBatch): Promise<string> {
    if (!this.encryption?.keys) return encodeSpill(batch);
    const key = await this.keyOf(batch.interaction_id);
    if (!key) throw new Error('the interaction was deleted');
    return sealSpill(key, batch);
  }

  /** Undefined: encryption is off, or the interaction was deleted. */
  private keyOf(id: string): Promise<DataKey | undefined> | undefined {
    return this.encryption?.ofInteractions?.ofInteraction(id);
  }

  private async save(folder: SpillFolder, id: string, text: string): Promise<FlushOutcome> {
    const key = await this.keyOf(id);
    if (!key && this.encryption?.keys) return this.setAside(folder, id, DELETED);
    const { batches, torn_lines } = decodeSpill(text, key);
    for (const batch of batches) {
      const problem = await this.tryToSave(batch);
      if (problem !== undefined) return this.setAside(folder, id, problem);
    }
    if (torn_lines > 0) await this.reportTorn(folder, id, torn_lines);
    else await folder.remove(id);
    const last = batches.at(-1);
    if (last && this.cutOff.has(id)) this.noteOutage(id, last.epoch, 'unsaved');
    // it expires
    if (last && !last.end) await this.stores.leases.releaseLease(id, last.epoch).catch(() => {});
    this.logger.log({ message: `Flushed spilled records of ${id}.`, interaction_id: id });
    return 'saved';
  }

  private async setAside(folder: SpillFolder, id: string, problem: string): Promise<'aside'> {
    this.logger.error(
      `Spilled records of ${id} can't be saved: ${problem}. No client has seen them. They are kept in ${await folder.setAside(id)}: check what the interaction did last, then remove the file.`,
    );
    return 'aside';
  }

  private async reportTorn(folder: SpillFolder, id: string, lines: number): Promise<void> {
    this.logger.error(
      `The last ${lines} lines of the spilled records of ${id} are torn, or were changed, and were left out; the rest is saved. They are kept in ${await folder.setAside(id)}.`,
    );
  }

  /** Gives the reason when it never can be saved. */
  private async tryToSave(batch: AppendBatch): Promise<string | undefined> {
    try {
      const [outcome] = await this.stores.records.append([batch]);
      if (outcome instanceof StoreRefused) return whyRefused(outcome.cause);
      return outcome === 'written' ? undefined : await this.whyFenced(batch);
    } catch (error) {
      if (!StoreRefused.from(error)) throw error;
      return whyRefused(error);
    }
  }

  private async whyFenced({ interaction_id, epoch }: AppendBatch): Promise<string> {
    const row = await this.stores.interactions.findInteraction(interaction_id, ANY_TENANT);
    if (!row) return DELETED;
    if (row.epoch < epoch)
      return `the database went back to an earlier state: it knows no run ${epoch}, only ${row.epoch}`;
    return row.epoch > epoch
      ? `another run has taken over (${row.epoch}, they are of run ${epoch})`
      : 'the log does not end where they begin';
  }
}

function whyRefused(cause: unknown): string {
  return `the store refused them (${messageOf(cause)})`;
}
