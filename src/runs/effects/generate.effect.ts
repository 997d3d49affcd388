import type { Message } from '../../protocol/message.js';
import type { AgentIdentity, GenerateOptions, Turn } from '../../agents/agent-context.js';
import type { CompletingRecord } from '../journal/completes.js';
import type { Effect } from './effect.js';
import { ModelTurn } from '../model-turn/model-turn.js';
import type { AgentScope } from '../scope/agent-scope.js';
import { FittedConversation } from '../model-turn/fitted-conversation.js';
import { judgementOf } from '../../guardrails/input-judgement.js';
import type { InterventionRow } from '../../persistence/rows/intervention-rows.js';
import type { Entry } from '../../event-log/append/run-log.js';
import { redactedEntries, remarkEntries, trip } from '../guarding/guard-output.js';
import { noteText, toldText } from '../../conversation/intervention-text.js';
import { intervened } from '../scope/interventions.js';
import { judgeInput } from '../guarding/guard-input.js';
import { Tripwire } from '../../guardrails/tripwire.js';
import type { EventError } from '../../protocol/events.js';
import { samplingOf } from '../../protocol/sampling.js';
import { AppError } from '../../kernel/app-error.js';

interface GenerateInput {
  readonly key: string;
  readonly agent: AgentIdentity;
  readonly options: GenerateOptions;
  /** The agent's current conversation. */
  readonly conversation: readonly Message[];
  /** The part of it before the message that the agent works on. */
  readonly before: readonly Message[];
}

/** Journaled model turn. */
export class GenerateEffect implements Effect<Turn> {
  readonly key: string;
  readonly label = 'a model turn';

  constructor(
    private readonly scope: AgentScope,
    private readonly input: GenerateInput,
  ) {
    this.key = input.key;
  }

  matches({ body }: CompletingRecord): boolean {
    return body.type === 'TURN_COMPLETED';
  }

  async run(): Promise<void> {
    const { scope } = this;
    const { key, agent, conversation } = this.input;
    const options = { ...samplingOf(scope.run.interaction.settings), ...this.input.options };
    const notes = await takeNotes(scope, { key, agent });
    const messages = [...(options.messages ?? conversation), ...notes];
    const { length } = this.input.before;
    const task = messages[length] === conversation[length] ? length : -1;
    const isOfChat = agent.parent_id === null && !options.messages;
    const count = isOfChat ? scope.run.interaction.settings.context_messages : undefined;
    const prompt = new FittedConversation(scope, { key, agent, options, messages, task, count });
    await prompt.replay();
    await new ModelTurn(scope, {
      ...{ key, agent, options },
      in_conversation: (options.visible ?? true) && !options.messages,
      prompt,
    }).ask();
  }

  outcome({ body, hidden }: CompletingRecord): Turn {
    if (body.type !== 'TURN_COMPLETED') throw new TypeError('not a turn');
    if (body.error) throw turnFailure(this.scope, body.error);
    if (!hidden || !('in_conversation' in hidden))
      throw new TypeError('a turn without its message');
    const { message } = hidden;
    return {
      text: message.content ?? '',
      tool_calls: message.tool_calls ?? [],
      finish_reason: body.finish_reason,
      usage: body.usage,
    };
  }
}

/**
 * The interventions and the notes of agents since the agent's last turn, as messages. They are
 * committed before the model reads them, so that a retried turn has the same ones.
 *
 * @throws Tripwire
 */
async function takeNotes(
  scope: AgentScope,
  { key, agent }: { key: string; agent: AgentIdentity },
): Promise<readonly Message[]> {
  const notes = scope.run.interventions.takeNotes(agent.id);
  const judged = await Promise.all(notes.map((row) => judgedNote(scope, { row, key, agent })));
  const entries = [...judged.flat(), ...scope.run.notes.listFor(agent.id, key)];
  if (entries.length > 0) await scope.append(entries);
  const { journal } = scope.run;
  const records = journal.listProgress(key, 'AGENT_INTERVENED');
  for (const { hidden } of records) {
    const tripwire = judgementOf(hidden)?.tripwire;
    if (tripwire !== undefined) throw trip(scope.run, tripwire);
  }
  const told = records.map(toldText).filter((text) => text !== undefined);
  const read = journal.listProgress(key, 'NOTE_READ').map(({ body }) => noteText(body));
  return [...told, ...read].map((content) => ({ role: 'user', content }));
}

async function judgedNote(
  scope: AgentScope,
  { row, key, agent }: { row: InterventionRow; key: string; agent: AgentIdentity },
): Promise<Entry[]> {
  const entry = intervened(row, key);
  const text = toldText(entry) ?? '';
  const { judgement, hidden } = await judgeInput(scope, agent, { kind: 'note', text });
  return [
    ...redactedEntries(agent.id, 'The note', row.redacted),
    ...remarkEntries(agent.id, judgement?.remarks ?? []),
    { ...entry, ...(hidden && { hidden }) },
  ];
}

/** A model turn that failed permanently; `code` and `message` are those of its `turn_completed`. */
class TurnFailed extends AppError {
  constructor({ code, message }: EventError) {
    super('unavailable', code, message);
  }
}

/**
 * The error that the agent gets for a failed turn. If a guardrail has tripped, the run ends with
 * this error.
 */
function turnFailure(scope: AgentScope, error: EventError): AppError {
  return Tripwire.from(error) ? trip(scope.run, error.message) : new TurnFailed(error);
}
