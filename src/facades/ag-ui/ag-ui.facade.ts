import type { Facade } from '../facade.js';
import { AgUiModule } from './ag-ui.module.js';
import type { Problem } from '../../protocol/wire/problem.js';

const MIB = 1024 * 1024;

/** AG-UI, and the runtime that pages of CopilotKit expect. */
export const AG_UI: Facade = {
  name: 'ag-ui',
  paths: ['/ag-ui/', '/copilotkit', '/copilotkit/'],
  rules: {
    bodyLimit: 4 * MIB, // clients send whole histories
    bodyValues: 200_000,
    errorType: 'application/json',
    formatError: (problem) => JSON.stringify(errorOf(problem)),
    paths: ['/ag-ui/{agent}', '/copilotkit/info', '/copilotkit/agent/{agent}/run'],
  },
  module: AgUiModule,
};

/** The error format of CopilotKit's clients; `error` is the code of the problem. */
function errorOf({ type, detail, active_interaction_id }: Problem): object {
  const active = active_interaction_id !== undefined && { active_interaction_id };
  return { error: type.replace('/problems/', ''), message: detail, ...active };
}
