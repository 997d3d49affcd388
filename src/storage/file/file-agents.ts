import type { InteractionLog } from './interaction-log.js';
import type { LogGate } from './log-gate.js';
import type { StoreIndex } from './store-index.js';

/** Whose agent is whose. A start reads no log through: those that have child agents are read when one is asked for that memory doesn't know. */
export class FileAgents {
  constructor(
    private readonly index: StoreIndex,
    private readonly gate: LogGate,
  ) {}

  /** One log after the other, those of new chats first; each only once. */
  async find(agentId: string): Promise<InteractionLog | undefined> {
    for (const { logs } of this.index.newestFirst) {
      const known = this.index.findLogOfAgent(agentId);
      if (known) return known;
      for (const log of logs) await this.learn(log);
    }
    return this.index.findLogOfAgent(agentId);
  }

  private async learn({ id }: InteractionLog): Promise<void> {
    await this.gate.read(id, async (log) => {
      if (await log.readAgents()) this.index.addAgents(log);
    });
  }
}
