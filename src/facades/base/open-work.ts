import type { StreamEvent } from '../../event-log/follow/stream-event.js';
import type { RecordEvent } from '../../protocol/events.js';
import { closedBlocks } from '../../event-log/live/block-of.js';

/** An agent that has not ended. */
interface OpenAgent {
  /** null: the root. */
  readonly parent: string | null;
  /** The call whose tool started it. */
  readonly call: string | undefined;
  /** True if its last turn called no tool. */
  rests: boolean;
}

/** A call without a result. */
interface OpenCall {
  readonly agent: string;
  /** The call whose tool made it. */
  readonly parent: string | undefined;
}

/** A request that no record has settled. */
export interface OpenRequest {
  readonly id: string;
  readonly seq: number;
  readonly agent: string;
  readonly call: string | undefined;
  /** True if it waits for the result of a call that the client runs. */
  readonly isOfClient: boolean;
}

/**
 * The open ends of an interaction: a fold over its events that tells when nothing goes on before a
 * person or a client has settled a request. Protocols without a word for waiting end their streams
 * there.
 */
export class OpenWork {
  private readonly agents = new Map<string, OpenAgent>();
  private readonly calls = new Map<string, OpenCall>();
  private readonly requests = new Map<string, OpenRequest>();
  /** The agents that write them. */
  private readonly blocks = new Map<string, string>();
  private root: string | undefined;

  take(event: StreamEvent): void {
    if ('seq' in event) this.takeRecord(event);
    else if ('offset' in event && event.type !== 'TOOL_OUTPUT_DELTA') this.write(event);
  }

  /** True if nothing goes on before a request is settled. */
  get isBlocked(): boolean {
    return this.blockedBy(() => true).length > 0;
  }

  /**
   * The requests without which nothing goes on; empty while something does.
   * @param isOpen false for requests that are settled, although no record says so yet
   */
  blockedBy(isOpen: (request: OpenRequest) => boolean): readonly OpenRequest[] {
    const open = [...this.requests.values()].filter(isOpen);
    if (open.length === 0 || this.root === undefined) return [];
    return this.isAgentBlocked(this.root, open) ? open : [];
  }

  private write({ block_id, agent_id }: { block_id: string; agent_id: string }): void {
    this.blocks.set(block_id, agent_id);
    const agent = this.agents.get(agent_id);
    if (agent) agent.rests = false;
  }

  private takeRecord(event: RecordEvent): void {
    for (const block of closedBlocks(event)) this.blocks.delete(block);
    const { agent_id } = event;
    switch (event.type) {
      case 'INTERACTION_STARTED':
        this.root = agent_id;
        return this.open(agent_id, null, undefined);
      case 'AGENT_STARTED':
        return this.open(agent_id, event.parent_agent_id, event.tool_call_id);
      case 'AGENT_COMPLETED':
        return void this.agents.delete(agent_id);
      case 'TOOL_CALL':
        this.calls.set(event.id, { agent: agent_id, parent: event.parent_tool_call_id });
        return;
      case 'TOOL_RESULT':
        return this.endCall(event.id);
      case 'TURN_COMPLETED':
        return this.setRests(agent_id, event.finish_reason !== 'tool_calls');
      case 'APPROVAL_REQUIRED':
        return this.ask(event, event.approval_id, event.tool_call_id);
      case 'INPUT_REQUIRED':
      case 'TOOL_RESULT_REQUIRED':
        return this.ask(event, event.request_id, event.tool_call_id);
      case 'APPROVED':
      case 'REJECTED':
        this.setRests(agent_id, false);
        return void this.requests.delete(event.approval_id);
      case 'INPUT_RECEIVED':
        return void this.requests.delete(event.request_id);
      case 'RESUMED':
        return this.blocks.clear();
      case 'INTERACTION_COMPLETE':
        return this.requests.clear();
      case 'THINKING':
      case 'MESSAGE':
      case 'ANSWER':
      case 'TOOL_STARTED':
      case 'STEP_COMPLETED':
      case 'CUSTOM':
      case 'METADATA_SET':
      case 'TASK_UPDATED':
      case 'AGENT_INTERVENED':
      case 'AGENT_TOLD':
      case 'NOTE_READ':
      case 'NOTICE':
      case 'CANCELLED':
      case 'ERROR':
        return undefined;
    }
  }

  private open(id: string, parent: string | null, call: string | undefined): void {
    this.agents.set(id, { parent, call, rests: false });
  }

  private setRests(id: string, rests: boolean): void {
    const agent = this.agents.get(id);
    if (agent) agent.rests = rests;
  }

  private ask({ type, seq, agent_id }: RecordEvent, id: string, call: string | undefined): void {
    const isOfClient = type === 'TOOL_RESULT_REQUIRED';
    this.requests.set(id, { id, seq, agent: agent_id, call, isOfClient });
  }

  private endCall(id: string): void {
    this.calls.delete(id);
    for (const { id: request, call, isOfClient } of this.requests.values())
      if (isOfClient && call === id) this.requests.delete(request);
  }

  private isAgentBlocked(id: string, open: readonly OpenRequest[]): boolean {
    if ([...this.blocks.values()].includes(id)) return false;
    const calls = [...this.calls].filter(([, call]) => call.agent === id && !this.isNested(call));
    const children = [...this.agents].filter(([, { parent, call }]) => {
      return parent === id && (call === undefined || !this.calls.has(call));
    });
    const asks = open.some(({ agent, call }) => agent === id && call === undefined);
    if (calls.length + children.length === 0) return asks || (this.agents.get(id)?.rests ?? false);
    return (
      calls.every(([call]) => this.isCallBlocked(call, open)) &&
      children.every(([child]) => this.isAgentBlocked(child, open))
    );
  }

  private isNested({ parent }: OpenCall): boolean {
    return parent !== undefined && this.calls.has(parent);
  }

  /** By a request about it, or by all that its tool has begun. */
  private isCallBlocked(id: string, open: readonly OpenRequest[]): boolean {
    const nested = [...this.calls].filter(([, { parent }]) => parent === id);
    const children = [...this.agents].filter(([, { call }]) => call === id);
    const asks = open.some(({ call }) => call === id);
    return (
      (asks || nested.length + children.length > 0) &&
      nested.every(([call]) => this.isCallBlocked(call, open)) &&
      children.every(([child]) => this.isAgentBlocked(child, open))
    );
  }
}
