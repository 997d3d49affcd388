import type { Entry } from '../../event-log/append/run-log.js';
import type { RunScope } from '../scope/run-scope.js';
import { closeAgents, closeCalls, closeQuestions } from '../closing/close-calls.js';
import type { Owned } from '../closing/close-calls.js';
import { closeRequests } from '../closing/close-requests.js';
import { closingContext } from '../closing/closing-context.js';

/**
 * Closes the requests of a lost tool call that is not made again, of the calls and of the agents
 * inside it. Returns the records that end them; the result of the call has to follow.
 */
export async function closeNested(run: RunScope, callKey: string): Promise<readonly Entry[]> {
  const { openWork } = run;
  const isNested = ({ key }: Pick<Owned, 'key'>): boolean =>
    key?.startsWith(`${callKey}/`) ?? false;
  if (openWork.hasAsked) await closeRequests(run, isNested);
  const context = closingContext(run);
  const agents = openWork.openAgents().filter(({ end_key: key }) => isNested({ key }));
  return [
    ...closeQuestions(context, isNested),
    ...closeCalls(context, 'The tool that made this call was lost.', isNested),
    ...closeAgents(agents, 'The tool that started it was lost.'),
  ];
}
