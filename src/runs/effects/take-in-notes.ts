import { judgementOf } from '../../guardrails/input-judgement.js';
import type { InterventionRow } from '../../persistence/rows/intervention-rows.js';
import type { Entry } from '../../event-log/append/run-log.js';
import type { Message } from '../../protocol/message.js';
import type { AgentIdentity } from '../../agents/agent-context.js';
import { remarkEntries, trip } from '../guarding/guarding.js';
import { toldText } from '../../conversation/intervention-text.js';
import { intervened } from '../children/interventions.js';
import { judgeInput } from '../tool-call/judge-input.js';
import type { AgentScope } from '../scope/agent-scope.js';

/**
 * What people told the agent since its last turn: committed before the model reads it, so that a turn that is asked for again says the same.
 *
 * @throws Tripwire
 */
export async function takeInNotes(
  scope: AgentScope,
  { key, agent }: { key: string; agent: AgentIdentity },
): Promise<readonly Message[]> {
  const notes = scope.shared.interventions.takeNotes(agent.id);
  const judged = await Promise.all(notes.map((row) => judgedNote(scope, { row, key, agent })));
  if (judged.length > 0) await scope.append(judged.flat());
  const records = scope.journal.listEarlierRecords(key, 'AGENT_INTERVENED');
  for (const { hidden } of records) {
    const tripwire = judgementOf(hidden)?.tripwire;
    if (tripwire !== undefined) throw trip(scope, tripwire);
  }
  const texts = records.map(toldText).filter((text) => text !== undefined);
  return texts.map((content) => ({ role: 'user', content }));
}

async function judgedNote(
  scope: AgentScope,
  { row, key, agent }: { row: InterventionRow; key: string; agent: AgentIdentity },
): Promise<Entry[]> {
  const entry = intervened(row, key);
  const text = toldText(entry) ?? '';
  const { judgement, hidden } = await judgeInput(scope, agent, { kind: 'note', text });
  return [
    ...remarkEntries(agent.id, judgement?.remarks ?? []),
    { ...entry, ...(hidden && { hidden }) },
  ];
}
