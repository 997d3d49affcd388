import type { StreamEvent } from '../../../event-log/follow/stream-event.js';

interface CustomData {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Events that the protocol has no word of its own for; undefined: it has, or they are lost. */
export function customOf(event: StreamEvent): CustomData | undefined {
  switch (event.type) {
    case 'CUSTOM': {
      const { name, data, agent_id } = event;
      return { type: 'custom', name, data, agent_id };
    }
    case 'TOOL_OUTPUT_DELTA': {
      const { tool_call_id, offset, delta } = event;
      return { type: 'tool_output', tool_call_id, offset, delta };
    }
    case 'NOTICE':
      return { type: 'notice', code: event.code, message: event.message };
    case 'RESUMED':
      return { type: 'notice', code: 'resumed', message: event.reason };
    case 'TASK_UPDATED':
      return { type: 'task', task: event.task, deleted: event.deleted ?? false };
    case 'METADATA_SET':
      return { type: 'metadata', key: event.key, value: event.value };
    case 'AGENT_STARTED': {
      const { agent_id, parent_agent_id, agent_type, prompt, tool_call_id } = event;
      return {
        type: 'agent',
        agent_id,
        parent_agent_id,
        agent_type,
        prompt,
        tool_call_id,
        status: 'running',
      };
    }
    case 'AGENT_COMPLETED':
      return {
        type: 'agent',
        agent_id: event.agent_id,
        status: event.status,
        result: event.result,
      };
    case 'AGENT_INTERVENED': {
      const { intervention_id, agent_id, by, user_comment, user_content } = event;
      return { type: 'intervention', intervention_id, agent_id, by, user_comment, user_content };
    }
    case 'APPROVED':
    case 'REJECTED': {
      const { approval_id, tool_call_id, by, reason, cause } = event;
      const approved = event.type === 'APPROVED';
      const modified_input = event.type === 'APPROVED' ? event.modified_input : undefined;
      return {
        type: 'decision',
        approval_id,
        tool_call_id,
        approved,
        by,
        reason,
        cause,
        modified_input,
      };
    }
    case 'INPUT_RECEIVED': {
      const { request_id, answer, by } = event;
      return { type: 'answer', request_id, answer, by };
    }
    case 'INTERACTION_STARTED':
    case 'TEXT_DELTA':
    case 'THINKING_DELTA':
    case 'TOOL_INPUT_DELTA':
    case 'TRACE':
    case 'THINKING':
    case 'MESSAGE':
    case 'ANSWER':
    case 'TURN_COMPLETED':
    case 'TOOL_CALL':
    case 'TOOL_STARTED':
    case 'TOOL_RESULT':
    case 'APPROVAL_REQUIRED':
    case 'INPUT_REQUIRED':
    case 'TOOL_RESULT_REQUIRED':
    case 'STEP_COMPLETED':
    case 'AGENT_TOLD':
    case 'NOTE_READ':
    case 'CANCELLED':
    case 'ERROR':
    case 'INTERACTION_COMPLETE':
      return undefined;
  }
}
