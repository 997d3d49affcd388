import type { FollowedEvent } from '../../../event-log/follow/follower.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import type { StreamFrame } from '../../../streams/event-streams.js';
import type { Projection } from '../../base/projected-streams.js';
import { formatCallId } from '../ids.js';
import { Parts } from '../parts.js';

interface InputItem {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The input of a response: the message, or the answers to the response before it. */
export class InputProjection implements Projection {
  readonly items: InputItem[] = [];
  isDone = false;
  private readonly parts = new Parts();
  private readonly clientCalls = new Set<string>();

  constructor(
    private readonly row: InteractionRow,
    private readonly after: number,
  ) {
    const { id, user_message } = row;
    if (after === 0) this.items.push(toMessage(`msg_${id}`, user_message));
  }

  take(followed: FollowedEvent): readonly StreamFrame[] {
    const { event } = followed;
    this.parts.take(followed);
    this.isDone = this.parts.last > this.after;
    if (event.type === 'TOOL_RESULT_REQUIRED') this.clientCalls.add(event.tool_call_id);
    if (this.after === 0 || !('seq' in event) || event.seq <= this.after) return [];
    if (event.type === 'APPROVED' || event.type === 'REJECTED')
      this.items.push({
        ...{ id: `mcpr_${event.approval_id}`, type: 'mcp_approval_response' },
        approval_request_id: event.approval_id,
        ...{ approve: event.type === 'APPROVED', reason: event.reason ?? null },
      });
    if (event.type === 'INPUT_RECEIVED' && event.answer !== null)
      this.items.push(toMessage(`msg_${event.request_id}`, event.answer));
    if (event.type === 'TOOL_RESULT' && this.clientCalls.has(event.id))
      this.items.push({
        ...{ id: `fco_${event.id}`, type: 'function_call_output', status: 'completed' },
        ...{ call_id: formatCallId(event.id, this.row.id), output: event.tool_output },
      });
    return [];
  }
}

function toMessage(id: string, text: string): InputItem {
  const content = [{ type: 'input_text', text }];
  return { id, type: 'message', role: 'user', status: 'completed', content };
}
