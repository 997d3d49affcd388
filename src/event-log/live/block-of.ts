import type { DeltaType, RecordBody } from '../../protocol/events.js';

/** A block that a record completes: its whole text, and the type of its deltas. */
export interface CompletedBlock {
  readonly id: string;
  readonly text: string;
  readonly delta_type: DeltaType;
  readonly tool_call_id?: string;
}

/** The block whose text a record holds. Not a tool's output: its deltas were only a preview. */
export function blockOf(body: RecordBody): CompletedBlock | undefined {
  switch (body.type) {
    case 'THINKING':
      return { id: body.block_id, text: body.content, delta_type: 'THINKING_DELTA' };
    case 'MESSAGE':
    case 'ANSWER':
      return { id: body.block_id, text: body.content, delta_type: 'TEXT_DELTA' };
    case 'TOOL_CALL':
      return {
        id: body.block_id,
        text: body.tool_input,
        delta_type: 'TOOL_INPUT_DELTA',
        tool_call_id: body.id,
      };
    case 'INTERACTION_STARTED':
    case 'TOOL_STARTED':
    case 'TOOL_RESULT':
    case 'APPROVAL_REQUIRED':
    case 'APPROVED':
    case 'REJECTED':
    case 'INPUT_REQUIRED':
    case 'INPUT_RECEIVED':
    case 'TOOL_RESULT_REQUIRED':
    case 'TURN_COMPLETED':
    case 'STEP_COMPLETED':
    case 'CUSTOM':
    case 'METADATA_SET':
    case 'TASK_UPDATED':
    case 'AGENT_STARTED':
    case 'AGENT_COMPLETED':
    case 'AGENT_INTERVENED':
    case 'AGENT_TOLD':
    case 'NOTE_READ':
    case 'NOTICE':
    case 'RESUMED':
    case 'CANCELLED':
    case 'ERROR':
    case 'INTERACTION_COMPLETE':
      return undefined;
  }
}

/** Blocks that get no delta after this record. */
export function closedBlocks(body: RecordBody): readonly string[] {
  if (body.type === 'NOTICE') return body.void ?? [];
  if (body.type === 'TOOL_RESULT') return body.block_id === undefined ? [] : [body.block_id];
  const block = blockOf(body);
  return block ? [block.id] : [];
}
