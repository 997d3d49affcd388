import type { LogRecord } from '../log/log-record.js';
import { readLog } from '../log/read-log.js';
import type { InteractionRow, Lease } from '../log/store-rows.js';
import type { RunStart } from './run.js';
import type { RunDeps } from './run-deps.js';

/** Reads what a run begins with. */
export class RunLoader {
  constructor(private readonly deps: Pick<RunDeps, 'store' | 'spill'>) {}

  /** `first` is all that is in the log, if that is known. */
  async load(
    { interaction, lost_owner, parked, losses }: Lease,
    first?: LogRecord,
  ): Promise<RunStart> {
    const resumed = this.whyResumed(interaction.id, lost_owner);
    return {
      interaction,
      records: first ? [first] : await readLog(this.deps.store, interaction.id),
      before: await this.readBefore(interaction),
      losses,
      ...(interaction.epoch > 1 && !parked && { resumed }),
    };
  }

  private whyResumed(id: string, lostOwner: string | null): string {
    if (this.deps.spill.takeOutage(id)) return 'what it did could not be saved for a while';
    return lostOwner === null ? 'the server was stopped' : 'the process that ran it was lost';
  }

  private async readBefore(interaction: InteractionRow): Promise<RunStart['before']> {
    return interaction.parent_id === null ? [] : this.deps.store.getPreviousState(interaction.id);
  }
}
