import { Injectable } from '@nestjs/common';
import { hostId } from './host-id.js';
import { ProcessFamily } from './process-family.js';
import { isProcessTrace } from './process-trace.js';

/** Clears away what a server that was killed has left running. */
@Injectable()
export class OrphanedProcesses {
  /** `trace` is what the log kept. Resolves with whether nothing of it runs any more, as far as this host can tell. */
  async kill(trace: unknown): Promise<boolean> {
    if (!isProcessTrace(trace) || trace.host !== (await hostId())) return false;
    return new ProcessFamily(trace).kill(0);
  }
}
