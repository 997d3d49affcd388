import type { OpenRequest } from '../base/open-work.js';
import type { AgUiInterrupt, EventOf } from './ag-ui-event.js';
import type { Author } from './projection/open-texts.js';

/** The answer to an approval, as the documentation of AG-UI recommends it, with fields of ours. */
const APPROVAL_SCHEMA = {
  type: 'object',
  properties: {
    approved: { type: 'boolean' },
    editedArgs: { type: 'object', description: 'All arguments, in place of those of the call.' },
    reason: { type: 'string', description: 'For the agent.' },
    remember: { enum: ['session', 'agent', 'global'] },
  },
  required: ['approved'],
};

/** Open requests: approvals and questions as interrupts, and calls that the client runs. */
export class Interrupts {
  private readonly interrupts = new Map<string, AgUiInterrupt>();
  /** Calls that the client runs, by the ids of their requests. */
  private readonly calls = new Map<string, string>();

  approval(event: EventOf<'APPROVAL_REQUIRED'>, { tag }: Author): void {
    const { approval_id: id, tool_call_id, tool_name, tool_input, action, expires_at } = event;
    const { category, risk, reason } = event;
    this.interrupts.set(id, {
      ...{ id, reason: 'tool_call', message: action, toolCallId: tool_call_id },
      responseSchema: APPROVAL_SCHEMA,
      metadata: { parley: { kind: 'approval', tool_name, tool_input, category, risk, reason } },
      ...(expires_at !== null && { expiresAt: expires_at }),
      ...tag,
    });
  }

  question(event: EventOf<'INPUT_REQUIRED'>, { tag }: Author): void {
    const { request_id: id, question: message, options, tool_call_id, expires_at } = event;
    const answer = { type: 'string', ...(options && { examples: options }) };
    this.interrupts.set(id, {
      ...{ id, reason: 'input_required', message },
      responseSchema: { type: 'object', properties: { answer }, required: ['answer'] },
      metadata: { parley: { kind: 'input', options, tool_call_id } },
      ...(expires_at !== null && { expiresAt: expires_at }),
      ...tag,
    });
  }

  call({ request_id, tool_call_id }: EventOf<'TOOL_RESULT_REQUIRED'>): void {
    this.calls.set(request_id, tool_call_id);
  }

  settle(id: string): void {
    this.interrupts.delete(id);
  }

  of(open: readonly OpenRequest[]): readonly AgUiInterrupt[] {
    return open.flatMap(({ id }) => this.interrupts.get(id) ?? []);
  }

  callsOf(open: readonly OpenRequest[]): readonly string[] {
    return open.flatMap(({ id }) => this.calls.get(id) ?? []);
  }
}
