import type { LogRecord } from '../../persistence/rows/log-record.js';
import { readLog } from '../../persistence/read-log.js';
import type { Lease } from '../../persistence/rows/store-rows.js';
import { takeRecentCalls } from './recent-calls.js';
import { RESUME_REASONS } from './resume-reasons.js';
import type { RunInput } from '../run-input.js';
import type { RunServices } from '../run-services.js';

/** Reads what a run begins with. */
export class RunLoader {
  constructor(
    private readonly deps: Pick<
      RunServices,
      'interactions' | 'records' | 'memory' | 'spill' | 'rates' | 'config' | 'clock'
    >,
  ) {}

  /** `first` is all that is in the log, if that is known. */
  async load(
    { interaction, lost_owner, parked, losses }: Lease,
    first?: LogRecord,
  ): Promise<RunInput> {
    const resumed = this.whyResumed(interaction.id, lost_owner);
    await takeRecentCalls(this.deps, interaction);
    return {
      interaction,
      records: first ? [first] : await readLog(this.deps.records, interaction.id),
      before: await this.deps.memory.read(interaction),
      losses,
      ...(interaction.epoch > 1 && !parked && { resumed }),
    };
  }

  private whyResumed(id: string, lostOwner: string | null): string {
    if (this.deps.spill.takeOutage(id)) return RESUME_REASONS.unsaved;
    return lostOwner === null ? RESUME_REASONS.stopped : RESUME_REASONS.lost;
  }
}
