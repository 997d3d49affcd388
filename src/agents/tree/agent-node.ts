import type { Json } from '../../protocol/json.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RecordOf } from '../../protocol/events.js';
import type { AgentState } from '../../protocol/wire/agent.js';
import { addUsage, NO_USAGE } from '../../protocol/interaction.js';
import type { AgentFocus } from '../../protocol/wire/agent.js';

/** Thoughts are not in the log. */
type LoggedState = Exclude<AgentState, 'thinking'>;
type End = Extract<AgentState, 'completed' | 'deleted' | 'error'>;

/** The start of an agent. */
export interface AgentBeginning {
  readonly agent_id: string;
  readonly agent_type: string;
  readonly parent_agent_id: string | null;
  /** The call inside whose tool it was started. */
  readonly parent_tool_call_id: string | null;
  readonly prompt: string;
  /** ISO 8601 in UTC; null while it is queued. */
  readonly started_at: string | null;
  /** Number of agents above it. */
  readonly depth: number;
  readonly metadata: Json;
}

/** An intervention. */
export interface Told {
  /** `unchanged` before any. */
  readonly user_comment: string;
  readonly user_content: string | null;
}

const UNCHANGED: Told = { user_comment: 'unchanged', user_content: null };

/** Agent of a tree: a fold over its records. Records after its end change nothing. */
export class AgentNode {
  readonly children: AgentNode[] = [];
  usage = NO_USAGE;
  turns = 0;
  tool_calls = 0;
  result: string | null = null;
  completed_at: string | null = null;
  /** The last intervention of a person that it has received. */
  told: Told = UNCHANGED;
  private end: End | undefined;
  /** Calls without a result, and whether their tool has begun. */
  private readonly calls = new Map<string, { name: string; began: boolean }>();
  /** Undecided approvals, by call; those of deferred calls. */
  private readonly approvals = new Map<string, string>();
  private readonly deferred = new Set<string>();
  private readonly questions = new Set<string>();
  /** Calls that the client runs, with their requests. */
  private readonly clientCalls = new Map<string, string>();
  private isModified = false;
  /** True if its last turn requested nothing more. */
  private rests = false;

  constructor(readonly beginning: AgentBeginning) {}

  get id(): string {
    return this.beginning.agent_id;
  }

  get hasEnded(): boolean {
    return this.end !== undefined;
  }

  get state(): LoggedState {
    if (this.end) return this.end;
    if (this.beginning.started_at === null) return 'idle';
    if (this.approvals.size > 0) return 'waiting_permission';
    if (this.questions.size > 0 || this.clientCalls.size > 0) return 'awaiting_user';
    if (this.runningCall) return 'executing_tool';
    if (this.openChildren.length > 0) return 'waiting_subagent';
    if (this.isModified) return 'modified';
    return this.rests && this.deferred.size > 0 ? 'waiting_permission' : 'processing';
  }

  /** The subject of its state. */
  get focus(): AgentFocus {
    switch (this.state) {
      case 'waiting_permission':
        return this.askedApproval ?? {};
      case 'awaiting_user':
        return this.askedQuestion ?? {};
      case 'executing_tool':
        return this.runningCall ?? {};
      case 'waiting_subagent':
        return { child_agent_id: this.openChildren[0]!.id };
      case 'idle':
      case 'processing':
      case 'modified':
      case 'completed':
      case 'deleted':
      case 'error':
        return {};
    }
  }

  private get openChildren(): AgentNode[] {
    return this.children.filter((child) => !child.hasEnded);
  }

  /** The first call whose tool runs, and has handed its work to no child. */
  private get runningCall(): AgentFocus | undefined {
    const open = this.openChildren;
    const handed = new Set(open.map(({ beginning }) => beginning.parent_tool_call_id));
    for (const [id, { began }] of this.calls) if (began && !handed.has(id)) return this.toFocus(id);
    return undefined;
  }

  private get askedApproval(): AgentFocus | undefined {
    for (const [id, request_id] of this.approvals) return { ...this.toFocus(id), request_id };
    for (const request_id of this.deferred) return { request_id };
    return undefined;
  }

  private get askedQuestion(): AgentFocus | undefined {
    for (const request_id of this.questions) return { request_id };
    for (const [id, request_id] of this.clientCalls) return { ...this.toFocus(id), request_id };
    return undefined;
  }

  private toFocus(tool_call_id: string): AgentFocus {
    const tool_name = this.calls.get(tool_call_id)?.name;
    return { tool_call_id, ...(tool_name !== undefined && { tool_name }) };
  }

  apply({ body, at }: Pick<LogRecord, 'body' | 'at'>): void {
    if (this.end) return;
    switch (body.type) {
      case 'TOOL_CALL':
        this.calls.set(body.id, { name: body.tool_name, began: false });
        this.tool_calls++;
        return;
      case 'TOOL_STARTED':
        return this.beginCall(body.id);
      case 'TOOL_RESULT':
        return this.endCall(body.id);
      case 'APPROVAL_REQUIRED':
        return void this.approvals.set(body.tool_call_id, body.approval_id);
      case 'APPROVED':
      case 'REJECTED':
        this.approvals.delete(body.tool_call_id);
        return void this.deferred.delete(body.approval_id);
      case 'INPUT_REQUIRED':
        return void this.questions.add(body.request_id);
      case 'INPUT_RECEIVED':
        return void this.questions.delete(body.request_id);
      case 'TOOL_RESULT_REQUIRED':
        return void this.clientCalls.set(body.tool_call_id, body.request_id);
      case 'TURN_COMPLETED':
        return this.endTurn(body);
      case 'AGENT_INTERVENED':
        return this.hear(body);
      case 'ANSWER':
        this.result = body.content;
        return;
      case 'AGENT_COMPLETED':
        this.result = body.result;
        return this.finish(ENDS[body.status], at);
      case 'INTERACTION_COMPLETE':
        return this.finish(ENDS[body.status], at);
      case 'ERROR':
        this.result = body.message;
        return;
      case 'NOTICE':
        this.rests = false; // it may be the outcome of a deferred call
        return;
      case 'INTERACTION_STARTED':
      case 'AGENT_STARTED':
      case 'THINKING':
      case 'MESSAGE':
      case 'STEP_COMPLETED':
      case 'CUSTOM':
      case 'METADATA_SET':
      case 'AGENT_TOLD':
      case 'NOTE_READ':
      case 'TASK_UPDATED':
      case 'RESUMED':
      case 'CANCELLED':
    }
  }

  private beginCall(id: string): void {
    const call = this.calls.get(id);
    if (call) call.began = true;
  }

  private endCall(id: string): void {
    this.calls.delete(id);
    this.clientCalls.delete(id);
    const approval = this.approvals.get(id);
    if (approval === undefined) return;
    this.approvals.delete(id);
    this.deferred.add(approval);
  }

  private endTurn({ usage }: RecordOf<'TURN_COMPLETED'>): void {
    this.turns++;
    this.usage = addUsage(this.usage, usage);
    this.isModified = false;
    this.rests = this.calls.size === 0;
  }

  private hear({ user_comment, user_content }: RecordOf<'AGENT_INTERVENED'>): void {
    this.told = { user_comment, user_content: user_content ?? null };
    if (user_comment === 'modify') this.isModified = true;
  }

  /** Ends the agent and all agents below it. */
  private finish(end: End, at: string): void {
    if (this.end) return;
    this.end = end;
    this.completed_at = at;
    for (const child of this.children) child.finish('deleted', at);
  }
}

const ENDS = {
  completed: 'completed',
  error: 'error',
  cancelled: 'deleted',
  COMPLETED: 'completed',
  FAILED: 'error',
  CANCELLED: 'deleted',
} as const;
