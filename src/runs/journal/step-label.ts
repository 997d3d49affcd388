import type { CompletingRecord } from './completes.js';

/** What a journaled step was, for people: `the tool calculator`. */
export function stepLabel({ body }: CompletingRecord): string {
  switch (body.type) {
    case 'TURN_COMPLETED':
      return 'a model turn';
    case 'TOOL_RESULT':
      return `the tool ${body.tool_name}`;
    case 'STEP_COMPLETED':
      return `the step "${body.name}"`;
    case 'AGENT_STARTED':
      return `the fork of an agent "${body.agent_type}"`;
    case 'MESSAGE':
      return 'a message';
    case 'NOTICE':
      return `the notice ${body.code}`;
    default:
      return `a ${body.type.toLowerCase()}`;
  }
}
