import type { RecordEvent } from 'parley/client';
import { cost, count, duration } from './amounts';
import { lineText } from './lines';

const MOST = 300;

/** The words of a record's type: `tool result`. */
export function typeName(type: RecordEvent['type']): string {
  return type.toLowerCase().replaceAll('_', ' ');
}

/** A record in one line. */
export function summaryOf(record: RecordEvent): string {
  return line(record).slice(0, MOST).replaceAll(/\s+/g, ' ').trim();
}

function line(record: RecordEvent): string {
  switch (record.type) {
    case 'INTERACTION_STARTED':
      return record.user_message.slice(0, MOST);
    case 'THINKING':
    case 'MESSAGE':
    case 'ANSWER':
      return record.content.slice(0, MOST);
    case 'TURN_COMPLETED':
      return turn(record);
    case 'TOOL_CALL':
      return `${record.tool_name} ${record.tool_input.slice(0, MOST)}`;
    case 'TOOL_STARTED':
      return record.tool_name;
    case 'TOOL_RESULT': {
      const { tool_name, is_error, duration_ms, tool_output } = record;
      const outcome = `${is_error ? 'failed' : 'done'} in ${duration(duration_ms)}`;
      return `${tool_name} ${outcome}: ${tool_output.slice(0, MOST)}`;
    }
    case 'APPROVAL_REQUIRED':
      return record.action.slice(0, MOST);
    case 'APPROVED':
    case 'REJECTED':
      return [who(record), record.reason].filter(Boolean).join(': ');
    case 'INPUT_REQUIRED':
      return record.question;
    case 'INPUT_RECEIVED':
      return record.answer ?? 'declined';
    case 'TOOL_RESULT_REQUIRED':
      return `${record.tool_name} ${record.tool_input.slice(0, MOST)}`;
    case 'AGENT_STARTED':
      return `${record.agent_type}: ${record.prompt.slice(0, MOST)}`;
    case 'AGENT_COMPLETED':
      return `${record.status}: ${record.result.slice(0, MOST)}`;
    case 'AGENT_TOLD':
    case 'NOTE_READ':
      return record.text;
    case 'STEP_COMPLETED':
      return record.name;
    case 'METADATA_SET':
      return `${record.key}: ${JSON.stringify(record.value)}`;
    case 'TASK_UPDATED': {
      const { title, status } = record.task;
      return record.deleted ? `${title}: deleted` : `${title}: ${status.replaceAll('_', ' ')}`;
    }
    case 'INTERACTION_COMPLETE':
      return record.status.toLowerCase();
    case 'NOTICE':
    case 'RESUMED':
    case 'CANCELLED':
    case 'ERROR':
    case 'AGENT_INTERVENED':
    case 'CUSTOM':
      return lineText(record);
    default:
      // A server of a later version has types that this page does not know.
      return '';
  }
}

function turn({
  model,
  usage,
  duration_ms,
  error,
}: Extract<RecordEvent, { type: 'TURN_COMPLETED' }>) {
  const { input_tokens, output_tokens, cost_usd } = usage;
  const parts = [
    model,
    duration(duration_ms),
    `${count(input_tokens)} in, ${count(output_tokens)} out`,
    cost_usd === undefined ? '' : cost(cost_usd),
    error?.message ?? '',
  ];
  return parts.filter(Boolean).join(' · ');
}

function who({ by }: Extract<RecordEvent, { type: 'APPROVED' | 'REJECTED' }>): string {
  return by.kind === 'user' ? `by ${by.user_id ?? 'a person'}` : `by the server`;
}
