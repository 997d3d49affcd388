import type { RecordContent } from '../../persistence/rows/log-record.js';
import type { Hidden, RecordBody, StoppedEffect } from '../../protocol/events.js';
import type { Task } from '../../protocol/task.js';
import type { NewIds } from './new-ids.js';

/** The record with our ids in the places of those of its log. Tool calls and blocks keep theirs, which mean something in their interaction only. */
export function renameRecord({ body, hidden }: RecordContent, ids: NewIds): RecordContent {
  return { body: renameBody(body, ids), hidden: renameHidden(hidden, ids) } as RecordContent;
}

function renameBody(body: RecordBody, ids: NewIds): RecordBody {
  switch (body.type) {
    case 'APPROVAL_REQUIRED':
    case 'APPROVED':
    case 'REJECTED':
      return { ...body, approval_id: ids.approval(body.approval_id) };
    case 'INPUT_REQUIRED':
    case 'INPUT_RECEIVED':
    case 'TOOL_RESULT_REQUIRED':
      return { ...body, request_id: ids.input(body.request_id) };
    case 'TASK_UPDATED':
      return { ...body, task: renameTask(body.task, ids) };
    case 'AGENT_STARTED':
      return { ...body, parent_agent_id: ids.agent(body.parent_agent_id) };
    case 'AGENT_INTERVENED':
      return { ...body, intervention_id: ids.intervention(body.intervention_id) };
    case 'CANCELLED':
      return { ...body, stopped: body.stopped.map((effect) => renameStopped(effect, ids)) };
    case 'INTERACTION_STARTED': // is made anew
    case 'THINKING':
    case 'MESSAGE':
    case 'ANSWER':
    case 'TOOL_CALL':
    case 'TOOL_STARTED':
    case 'TOOL_RESULT':
    case 'TURN_COMPLETED':
    case 'STEP_COMPLETED':
    case 'NOTICE':
    case 'RESUMED':
    case 'AGENT_COMPLETED':
    case 'ERROR':
    case 'INTERACTION_COMPLETE':
      return body;
  }
}

function renameStopped(effect: StoppedEffect, ids: NewIds): StoppedEffect {
  const { kind, id } = effect;
  return kind === 'agent' && id !== undefined ? { ...effect, id: ids.agent(id) } : effect;
}

function renameTask(task: Task, ids: NewIds): Task {
  const agent_id = task.agent_id === null ? null : ids.agent(task.agent_id);
  return { ...task, id: ids.task(task.id), chat_id: ids.chat_id, agent_id };
}

function renameHidden(hidden: Hidden | null, ids: NewIds): Hidden | null {
  if (!hidden || !('deferred' in hidden)) return hidden;
  return { ...hidden, deferred: ids.approval(hidden.deferred) };
}
