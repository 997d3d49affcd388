import { judgementOf } from '../../guardrails/input-judgement.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { AgentIdentity } from '../../agents/agent-context.js';
import type { CompletingRecord } from '../journal/completes.js';
import { perform } from './effect.js';
import type { Effect } from './effect.js';
import { redactedEntries, remarkEntries, trip } from '../guarding/guard-output.js';
import { judgeInput } from '../guarding/guard-input.js';
import type { AgentScope } from '../scope/agent-scope.js';

const MESSAGE_CHECK = 'guardrails';

/** Lets guardrails judge the user's message before the agent runs: a step of its own. */
class MessageCheck implements Effect<void> {
  readonly label = 'the check of the message';

  constructor(
    private readonly scope: AgentScope,
    private readonly agent: AgentIdentity,
    readonly key: string,
  ) {}

  matches({ body }: CompletingRecord): boolean {
    return body.type === 'STEP_COMPLETED' && body.name === MESSAGE_CHECK;
  }

  async run(): Promise<void> {
    const { scope, agent, key } = this;
    const text = scope.run.conversation.asked;
    const { judgement, hidden } = await judgeInput(scope, agent, { kind: 'message', text });
    await scope.append([
      ...remarkEntries(agent.id, judgement?.remarks ?? []),
      { agent_id: agent.id, key, body: { type: 'STEP_COMPLETED', name: MESSAGE_CHECK }, hidden },
    ]);
  }

  outcome({ hidden }: CompletingRecord): void {
    const tripwire = judgementOf(hidden)?.tripwire;
    if (tripwire !== undefined) throw trip(this.scope.run, tripwire);
  }
}

/**
 * Lets the guardrails judge the user's message, once. An interaction whose agent has begun without
 * this check continues without it.
 *
 * @throws Tripwire
 */
export async function checkMessage(
  scope: AgentScope,
  agent: AgentIdentity,
  path: string,
): Promise<void> {
  const key = `${path}/0`;
  const begun = scope.run.journal.firstUnclaimedOf(path);
  const isDone = begun?.key === key;
  if (isDone || (!begun && scope.run.services.guardrails.checksInput))
    await perform(scope, new MessageCheck(scope, agent, key));
}

/** Tells readers what was redacted in the user's message, unless `records` of earlier runs do. */
export async function tellRedacted(
  scope: AgentScope,
  agentId: string,
  records: readonly LogRecord[],
): Promise<void> {
  const { redacted } = scope.run.interaction.settings;
  const entries = redactedEntries(agentId, 'The message', redacted);
  const said = new Set(records.flatMap(({ body }) => (body.type === 'NOTICE' ? body.message : [])));
  const isTold = entries.every(({ body }) => body.type === 'NOTICE' && said.has(body.message));
  if (!isTold) await scope.append(entries);
}
