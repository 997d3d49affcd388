import type { ModelEvent, ModelProvider } from '../../models/model-provider.js';
import type { ModelChain, ModelRegistry } from '../../models/model-registry.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { AppendBatch, AppendOutcome } from '../../persistence/rows/append-rows.js';
import type { EarlierConversation } from '../context-window/earlier-conversation.js';
import { UNCLAIMED_MS } from '../journal/journal.js';
import { WaitingRuns } from '../parking.js';
import { Run } from '../run.js';
import type { RunServices } from '../scope/run-services.js';

/** An interaction as a session log has it. */
export interface RecordedInteraction extends EarlierConversation {
  readonly interaction: InteractionRow;
  /** The whole log. */
  readonly records: readonly LogRecord[];
}

interface Observer {
  /** Receives each append in place of the store. Returns false to stop the run. */
  readonly write: (records: readonly LogRecord[]) => boolean;
  /** In place of the server's. */
  readonly models?: ModelRegistry;
  /** Stops the run. */
  readonly signal?: AbortSignal;
  /** Set if the log was cut where work was in progress: why it is taken up again. */
  readonly resumed?: string;
}

/** Executes a run from a log, in memory only. */
export async function observeRun(
  services: RunServices,
  { interaction, records, before, unread }: RecordedInteraction,
  { write, models = services.models, signal, resumed }: Observer,
): Promise<void> {
  const append = async (batch: AppendBatch): Promise<AppendOutcome> =>
    write(batch.records) ? 'written' : 'fenced';
  const own = { writer: { append }, models };
  const observed = Object.assign(Object.create(services) as RunServices, own);
  const active = { status: 'RUNNING', cancel_reason: null, cancelled_by: null } as const;
  const row = { ...interaction, ...active, error: null, completed_at: null, signals: 0 };
  const losses = { losses: 0, alone_losses: 0, ...(resumed !== undefined && { resumed }) };
  const input = { interaction: row, records, before, ...(unread && { unread }), ...losses };
  const run = new Run(observed, input, {
    lease: { isFresh: true },
    slot: { release: () => {}, reclaim: () => true, take: () => {} },
    waiting: new WaitingRuns(1),
    quarantine: { release: () => {}, trialOf: () => 0 },
  });
  signal?.addEventListener('abort', () => run.lose(), { once: true });
  const alive = setInterval(() => {}, UNCLAIMED_MS); // a step that never comes has no timer
  try {
    await run.execute();
  } finally {
    clearInterval(alive);
  }
}

/** Models that are known by any name, and never answer. */
export function unanswered(
  { defaults, defaultModel }: ModelRegistry,
  asked: (model: string) => void,
): ModelRegistry {
  const resolve = (name: string): ModelChain => {
    const provider: ModelProvider = {
      name,
      async *stream(): AsyncGenerator<ModelEvent> {
        asked(name);
        yield new Promise<never>(() => {});
      },
    };
    return [{ provider, model: name, name }];
  };
  return { defaults, defaultModel, resolve } as ModelRegistry; // runs name each model
}
