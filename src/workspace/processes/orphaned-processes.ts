import { Injectable } from '@nestjs/common';
import { hostId } from './host-id.js';
import { ProcessFamily } from './process-family.js';
import { isProcessTrace } from './process-trace.js';

/** Kills the processes that a killed server has left running. */
@Injectable()
export class OrphanedProcesses {
  /**
   * `trace` is the record from the log. Resolves with true if no process of it is left, as far as
   * this host can determine.
   */
  async kill(trace: unknown): Promise<boolean> {
    if (!isProcessTrace(trace) || trace.host !== (await hostId())) return false;
    return new ProcessFamily(trace).kill(0);
  }
}
