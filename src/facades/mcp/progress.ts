import type { StreamEvent } from '../../event-log/follow/stream-event.js';
import { cutText } from '../../kernel/text/cut-text.js';

const MAX_LENGTH = 300;

/** A line that tells people how far a call has got; undefined: nothing that they would miss. */
export function describeProgress(event: StreamEvent): string | undefined {
  const line = lineOf(event);
  return line === undefined || line === '' ? undefined : cutText(line, MAX_LENGTH);
}

function lineOf(event: StreamEvent): string | undefined {
  switch (event.type) {
    case 'INTERACTION_STARTED':
      return `${event.agent} has begun`;
    case 'MESSAGE':
      return event.content;
    case 'TOOL_CALL':
      return `${event.tool_name} ${event.tool_input}`;
    case 'TOOL_RESULT':
      return `${event.tool_name} ${event.is_error ? 'has failed' : 'is done'}`;
    case 'APPROVAL_REQUIRED':
      return `Waits for approval: ${event.action}`;
    case 'APPROVED':
      return 'Approved';
    case 'REJECTED':
      return 'Rejected';
    case 'INPUT_REQUIRED':
      return `Waits for an answer: ${event.question}`;
    case 'INPUT_RECEIVED':
      return event.answer === null ? 'Not answered' : 'Answered';
    case 'TOOL_RESULT_REQUIRED':
      return `Waits for the result of ${event.tool_name}`;
    case 'AGENT_STARTED':
      return `${event.agent_type} has begun: ${event.prompt}`;
    case 'AGENT_COMPLETED':
      return `A child agent is done: ${event.status}`;
    case 'STEP_COMPLETED':
      return event.name;
    case 'TASK_UPDATED':
      return `Task: ${event.task.title}`;
    case 'NOTICE':
      return event.message;
    case 'RESUMED':
      return 'The work goes on after an interruption';
    // The result tells of the end; docs/protocols.md says where the rest is.
    case 'ANSWER':
    case 'THINKING':
    case 'TOOL_STARTED':
    case 'TURN_COMPLETED':
    case 'AGENT_INTERVENED':
    case 'AGENT_TOLD':
    case 'NOTE_READ':
    case 'CUSTOM':
    case 'METADATA_SET':
    case 'CANCELLED':
    case 'ERROR':
    case 'INTERACTION_COMPLETE':
    case 'TEXT_DELTA':
    case 'THINKING_DELTA':
    case 'TOOL_INPUT_DELTA':
    case 'TOOL_OUTPUT_DELTA':
    case 'TRACE':
      return undefined;
  }
}
