import type { Json } from '../../protocol/json.js';
import type { LogRecord } from '../../persistence/rows/log-record.js';
import type { RecordOf } from '../../protocol/events.js';
import type { TreeState } from '../../protocol/agent.js';
import type { Usage } from '../../protocol/interaction.js';

type End = Extract<TreeState, 'completed' | 'deleted' | 'error'>;

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

/** One agent of a tree: a fold over its records. Records after its end change nothing. */
export class AgentNode {
  readonly children: AgentNode[] = [];
  usage: Usage = { input_tokens: 0, output_tokens: 0 };
  turns = 0;
  tool_calls = 0;
  result: string | null = null;
  completed_at: string | null = null;
  private end: End | undefined;
  /** Calls without a result; true once their tool has begun. */
  private readonly calls = new Map<string, boolean>();
  /** Undecided approvals, by call; those of deferred calls. */
  private readonly approvals = new Map<string, string>();
  private readonly deferred = new Set<string>();
  private readonly questions = new Set<string>();
  /** Ids of calls that the client runs. */
  private readonly clientCalls = new Set<string>();
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

  get state(): TreeState {
    if (this.end) return this.end;
    if (this.beginning.started_at === null) return 'idle';
    if (this.approvals.size > 0) return 'waiting_permission';
    if (this.questions.size > 0 || this.clientCalls.size > 0) return 'awaiting_user';
    const open = this.children.filter((child) => !child.hasEnded);
    const handed = new Set(open.map(({ beginning }) => beginning.parent_tool_call_id));
    for (const [id, began] of this.calls) if (began && !handed.has(id)) return 'executing_tool';
    if (open.length > 0) return 'waiting_subagent';
    if (this.isModified) return 'modified';
    return this.rests && this.deferred.size > 0 ? 'waiting_permission' : 'processing';
  }

  apply({ body, at }: Pick<LogRecord, 'body' | 'at'>): void {
    if (this.end) return;
    switch (body.type) {
      case 'TOOL_CALL':
        this.calls.set(body.id, false);
        this.tool_calls++;
        return;
      case 'TOOL_STARTED':
        if (this.calls.has(body.id)) this.calls.set(body.id, true);
        return;
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
        return void this.clientCalls.add(body.tool_call_id);
      case 'TURN_COMPLETED':
        return this.endTurn(body);
      case 'AGENT_INTERVENED':
        if (body.user_comment === 'modify') this.isModified = true;
        return;
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
      case 'TASK_UPDATED':
      case 'RESUMED':
      case 'CANCELLED':
    }
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
    this.usage = {
      input_tokens: this.usage.input_tokens + usage.input_tokens,
      output_tokens: this.usage.output_tokens + usage.output_tokens,
    };
    this.isModified = false;
    this.rests = this.calls.size === 0;
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
