import { parseBounded } from '../../kernel/json/bounded-json.js';
import type { RecordEvent } from '../../protocol/events.js';
import { describeQuestion } from '../base/describe-question.js';
import type { Part } from './wire.js';

type Asking = Extract<
  RecordEvent,
  { readonly type: 'APPROVAL_REQUIRED' | 'INPUT_REQUIRED' | 'TOOL_RESULT_REQUIRED' }
>;

/** A request as a person and as a program read it: what to decide, and the ids to answer with. */
export function partsOfRequest(event: Asking): readonly Part[] {
  switch (event.type) {
    case 'APPROVAL_REQUIRED': {
      const { approval_id, tool_call_id, tool_name, tool_input, action, category, risk } = event;
      const { reason, expires_at } = event;
      const about = { action, category, risk, reason, expires_at };
      return [
        { text: `Approval is required to call ${tool_name}: ${action}\n${reason}` },
        {
          data: {
            ...{ approval_id, tool_call_id, tool_name, arguments: readArguments(tool_input) },
            ...about,
          },
        },
      ];
    }
    case 'INPUT_REQUIRED': {
      const { request_id, question, options, expires_at } = event;
      return [
        { text: describeQuestion(question, options) },
        { data: { request_id, question, ...(options && { options }), expires_at } },
      ];
    }
    case 'TOOL_RESULT_REQUIRED': {
      const { request_id, tool_call_id, tool_name, tool_input } = event;
      const call = { tool_call_id, tool_name, arguments: readArguments(tool_input) };
      return [
        { text: `The client that began this task has to run its tool ${tool_name}.` },
        { data: { request_id, ...call } },
      ];
    }
  }
}

/** Text that is not JSON stays as it is. */
function readArguments(text: string): unknown {
  try {
    return parseBounded(text);
  } catch {
    return text;
  }
}
