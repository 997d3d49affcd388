import type { Entry } from '../../event-log/append/run-log.js';
import type { RunScope } from '../scope/run-scope.js';
import { closeAgents, closeCalls, closeQuestions } from './close-calls.js';
import type { Owned } from './close-calls.js';
import { closeRequests } from './close-requests.js';
import { closingContext } from './closing-context.js';

/**
 * Closes the requests of a child agent and its subtree, all of which have stopped. Returns the
 * records that end all open work, except the agent's own end.
 */
export async function closeAgent(run: RunScope, agentId: string): Promise<readonly Entry[]> {
  const { openWork } = run;
  const agents = openWork.openSubtree(agentId);
  const ids = new Set(agents.map(({ agent_id }) => agent_id));
  const isIncluded = ({ agent_id }: Pick<Owned, 'agent_id'>): boolean => ids.has(agent_id);
  if (openWork.hasAsked) await closeRequests(run, isIncluded);
  const context = closingContext(run);
  const below = agents.filter(({ agent_id }) => agent_id !== agentId);
  return [
    ...voidTurns(run, ids),
    ...closeQuestions(context, isIncluded),
    ...closeCalls(context, 'The agent was stopped before this tool call finished.', isIncluded),
    ...closeAgents(below, 'The agent above it has ended.'),
  ];
}

/** Voids the blocks, seen by readers, of turns that will not be completed. */
function voidTurns(run: RunScope, agents: ReadonlySet<string>): Entry[] {
  return [...run.turns].flatMap((turn): Entry[] => {
    const { agent_id, visible } = turn.options;
    if (!agents.has(agent_id)) return [];
    run.abandon(turn);
    const blocks = visible ? turn.shownBlockIds() : [];
    if (blocks.length === 0) return [];
    const message = 'The agent was stopped while its model answered.';
    const body = { type: 'NOTICE', code: 'agent_stopped', message, void: blocks } as const;
    return [{ agent_id, key: null, body }];
  });
}
