import type { Facade } from '../facade.js';
import { LangGraphModule } from './langgraph.module.js';
import type { Problem } from '../../protocol/wire/problem.js';

const MIB = 1024 * 1024;

/** LangGraph's server API, for its SDKs. */
export const LANGGRAPH: Facade = {
  name: 'langgraph',
  paths: ['/langgraph/'],
  rules: {
    bodyLimit: 4 * MIB, // clients may send histories
    bodyValues: 200_000,
    errorType: 'application/json',
    formatError: (problem) => JSON.stringify(errorOf(problem)),
    paths: [
      ...['/langgraph/assistants/search', '/langgraph/assistants/{id}', '/langgraph/info'],
      ...['/langgraph/threads', '/langgraph/threads/{id}/runs', '/langgraph/runs'],
    ],
  },
  module: LangGraphModule,
};

/** Clients of version 2 show `message`; those of version 1 the whole text. */
function errorOf({ type, detail, errors, active_interaction_id }: Problem): object {
  return {
    error: type.replace('/problems/', ''),
    message: detail,
    detail,
    ...(errors && { errors }),
    ...(active_interaction_id !== undefined && { active_interaction_id }),
  };
}
