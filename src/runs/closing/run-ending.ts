import { AppError } from '../../kernel/app-error.js';
import type { Entry } from '../../event-log/append/run-log.js';
import { startedBody } from '../../persistence/rows/log-record.js';
import type { Decider } from '../../protocol/events.js';
import type { Message } from '../../protocol/message.js';
import { intervened } from '../scope/interventions.js';
import { guardFailure } from '../guarding/guard-output.js';
import type { RunScope } from '../scope/run-scope.js';
import type { ShownText } from '../scope/running.js';
import { closeStopped } from './close-calls.js';
import { closingContext, guardedRoot } from './closing-context.js';
import { cancelled, completed, failed } from './ending.js';
import type { CancelledAnswer, Ending, EndingContext } from './ending.js';

/** Ends an interaction, or a run that was shut down. */
export class RunEnding {
  constructor(private readonly run: RunScope) {}

  /** `text`: the return value of the root agent. */
  completed(text: string | void): Ending {
    return completed(this.context, text);
  }

  failed(cause: unknown): Ending {
    const error = guardFailure(this.run, guardedRoot(this.run.interaction), cause);
    return {
      ...failed(this.context, error),
      ...(!(cause instanceof AppError) && { fault: { thrown: cause } }),
    };
  }

  cancelled({ reason, by }: { reason: string; by: Decider }): Ending {
    const turns = [...this.run.turns];
    const shown = turns.find((turn) => turn.options.answers && turn.shownText)?.shownText;
    return cancelled(this.context, {
      reason,
      by,
      ...this.partOf(shown),
      models: turns.map((turn) => turn.options.model),
      told: this.deletes(),
    });
  }

  /** The text of the answer that readers have seen; of a spoken one, what was heard. */
  private partOf(shown: ShownText | undefined): Pick<CancelledAnswer, 'shown' | 'replaces'> {
    const { interventions, conversation, openWork } = this.run;
    const { heard } = interventions;
    if (!heard) return shown ? { shown } : {};
    const { block_id, length, heard_ms } = heard;
    const textOf = (block: string, text: string): string =>
      block === block_id ? text.slice(0, length) : '';
    if (shown) {
      const content = textOf(shown.block_id, shown.content);
      return content === '' ? {} : { shown: { ...shown, content, heard_ms } };
    }
    const replaces = conversation.answerBlock;
    if (replaces === undefined) return {};
    const content = textOf(replaces, openWork.lastAnswer ?? '');
    return { shown: { block_id: this.run.log.newBlockId(), content, heard_ms }, replaces };
  }

  /**
   * Writes the results of tools that a shutdown did not stop in time and that must not run again.
   */
  async closeStopped(): Promise<void> {
    const entries = closeStopped(closingContext(this.run));
    if (entries.length > 0) await this.run.append(entries);
  }

  /** Writes the last append. Returns the messages that the interaction has added to its chat. */
  async write({ status, error, entries, fault }: Ending): Promise<readonly Message[]> {
    const { run } = this;
    const { openWork, journal, conversation } = run;
    const all = openWork.lastSeq === 0 ? [this.started(), ...entries] : entries;
    const rest = [...journal.undelivered(), ...all].filter(
      ({ agent_id }) => agent_id === openWork.rootAgentId,
    );
    const completed_at = new Date(run.now).toISOString();
    const added_messages = conversation.addedWith(rest);
    const end = { status, error, completed_at, added_messages };
    for (const turn of run.turns) run.abandon(turn);
    await run.append(all, { status, end });
    const { reports } = run.services;
    reports.ended(run.interaction, { ...end, usage: run.totalUsage, fault });
    return added_messages;
  }

  private get context(): EndingContext {
    const { log, conversation } = this.run;
    const { answerBlock } = conversation;
    return { ...closingContext(this.run), newBlockId: () => log.newBlockId(), answerBlock };
  }

  /** The interventions that deleted the root agent. */
  private deletes(): Entry[] {
    const { interventions, openWork } = this.run;
    const rows = interventions.takeDeletes(openWork.rootAgentId);
    return rows.map((row) => intervened(row, null));
  }

  /** Record 1 of an interaction that ends while it is queued. */
  private started(): Entry {
    const { interaction } = this.run;
    return { agent_id: interaction.agent_id, key: null, body: startedBody(interaction) };
  }
}
