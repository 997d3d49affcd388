import { cutText } from '../kernel/text/cut-text.js';
import type { LogRecord } from '../persistence/rows/log-record.js';
import { isRecordOf } from '../persistence/rows/log-record.js';
import type { RecordOf } from '../protocol/events.js';
import { spanIdOf } from './span-ids.js';
import type { SpanKey } from './span-ids.js';
import type { Span, SpanEvent, SpanStatus } from './span.js';

/** `parked`: it waits for people, or for what the server lacks, without a run. */
export type LogState = 'running' | 'parked' | 'ended';

/** The types of records that spans are made of, but for texts. */
export const TIMELINE_TYPES = [
  ...['INTERACTION_STARTED', 'TURN_COMPLETED', 'TOOL_CALL', 'TOOL_STARTED', 'TOOL_RESULT'],
  ...['APPROVAL_REQUIRED', 'APPROVED', 'REJECTED', 'INPUT_REQUIRED', 'INPUT_RECEIVED'],
  ...['TOOL_RESULT_REQUIRED', 'AGENT_STARTED', 'AGENT_COMPLETED', 'AGENT_INTERVENED', 'NOTICE'],
  ...['RESUMED', 'CANCELLED', 'ERROR', 'INTERACTION_COMPLETE'],
] as const satisfies readonly LogRecord['body']['type'][];

/** The types with texts of turns. */
export const TEXT_TYPES = ['ANSWER', 'MESSAGE'] as const;

/** Maximum number of events of a span; further ones are left out. */
const MAX_EVENTS = 100;
const MAX_MESSAGE = 300;
const MAX_TEXT = 8_000;

type Draft = { -readonly [K in keyof Span]: Span[K] } & { events: SpanEvent[] };

interface Run {
  readonly epoch: number;
  readonly first_seq: number;
  isLost: boolean;
}

/**
 * The spans of an interaction, made of its records alone. Every process makes the same of the same
 * log, so that the timeline, and a trace, are whole after parking, restarts and take-overs.
 */
export class Timeline {
  /** In the order in which they began to be known: each after its parent. */
  private readonly drafts: Draft[] = [];
  private readonly agents = new Map<string, { type: string; parent_id: string | null }>();
  /** By epoch and agent. */
  private readonly agentSpans = new Map<string, Draft>();
  /** By agent: the id of its latest. */
  private readonly lastSpans = new Map<string, string>();
  private readonly tools = new Map<string, Draft>();
  private readonly waits = new Map<string, Draft>();
  /** By call. */
  private readonly clientWaits = new Map<string, string>();
  private readonly runs: Run[] = [];
  private root: Draft | undefined;
  /** Never goes back, even where the clocks of servers differ. */
  private now = '';

  /** By agent: what the model has said in the turn that is not complete yet. */
  private readonly said = new Map<string, string>();
  /** By call. */
  private readonly inputs = new Map<string, string>();

  /** @param withTexts true: spans have `input` and `output` */
  constructor(
    private readonly interactionId: string,
    private readonly withTexts = false,
  ) {}

  take(record: LogRecord): void {
    if (record.at > this.now) this.now = record.at;
    if (isRecordOf(record, 'INTERACTION_STARTED')) return this.begin(record);
    if (isRecordOf(record, 'AGENT_STARTED')) {
      const { agent_type: type, parent_agent_id: parent_id } = record.body;
      this.agents.set(record.agent_id, { type, parent_id });
    }
    if (this.runs.at(-1)?.epoch !== record.epoch) this.beginRun(record);
    const agent = this.touch(record.epoch, record.agent_id, record.seq, startOf(record, this.now));
    const event = eventOf(record);
    if (event && agent.events.length < MAX_EVENTS) agent.events.push({ ...event, at: this.now });
    if (this.withTexts) this.takeText(record);
    this.takeSpan(record, agent);
  }

  /** Each after its parent. */
  spans(state: LogState): readonly Span[] {
    const { root } = this;
    const epoch = this.runs.at(-1)?.epoch;
    return this.drafts.map((span) => {
      const isOpen = span === root ? state !== 'ended' : this.isRunning(span, state, epoch);
      if (isOpen) return { ...span, ended_at: null, status: 'running' };
      return span.status === 'running' ? { ...span, status: 'ok' } : { ...span };
    });
  }

  /**
   * The first record of the run, or of the lost ones right before it, whose processes could not
   * tell of them.
   */
  untoldSince(epoch: number): number {
    let index = this.runs.findIndex((run) => run.epoch === epoch);
    if (index < 0) return Infinity;
    while (index > 0 && this.runs[index - 1]!.isLost) index--;
    return this.runs[index]!.first_seq;
  }

  private isRunning(span: Draft, state: LogState, epoch: number | undefined): boolean {
    if (state === 'ended') return false;
    if (span.kind !== 'agent') return span.ended_at === null;
    return state === 'running' && span.epoch === epoch && span.status === 'running';
  }

  private begin(record: LogRecord<'INTERACTION_STARTED'>): void {
    const { agent_id, epoch, seq, body } = record;
    this.agents.set(agent_id, { type: body.agent, parent_id: null });
    this.root = this.add(['root'], {
      ...{ parent_id: null, kind: 'interaction', name: body.agent, agent_id, epoch, seq },
      started_at: this.now,
    });
    if (this.withTexts) this.root.input = cutText(body.user_message, MAX_TEXT);
  }

  private takeText({ agent_id, body }: LogRecord): void {
    if (body.type === 'ANSWER' || body.type === 'MESSAGE')
      this.said.set(agent_id, cutText(body.content, MAX_TEXT));
    if (body.type === 'TOOL_CALL') this.inputs.set(body.id, cutText(body.tool_input, MAX_TEXT));
  }

  private beginRun({ epoch, seq, body }: LogRecord): void {
    const before = this.runs.at(-1);
    const isRetry = this.root?.ended_at != null;
    if (before && body.type === 'RESUMED' && !isRetry) {
      before.isLost = true;
      this.closeLost(before.epoch);
    }
    for (const span of this.agentSpans.values()) if (span.status === 'running') span.status = 'ok';
    if (this.root && isRetry) Object.assign(this.root, { ended_at: null, status: 'running' });
    this.runs.push({ epoch, first_seq: seq, isLost: false });
  }

  /** Ends, with the last record of a lost run, all that the run had begun according to the log. */
  private closeLost(epoch: number): void {
    for (const [id, span] of this.tools)
      if (span.epoch === epoch) {
        const agent = this.agentSpans.get(`${epoch} ${span.agent_id}`);
        Object.assign(span, { ended_at: agent?.ended_at ?? span.started_at, status: 'lost' });
        this.tools.delete(id);
      }
    for (const span of this.agentSpans.values())
      if (span.epoch === epoch && span.status === 'running') span.status = 'lost';
  }

  /** The agent's span in a run lasts as long as what it and its children do in it. */
  private touch(epoch: number, agentId: string, seq: number, start: string): Draft {
    const known = this.agentSpans.get(`${epoch} ${agentId}`);
    const { type = 'unknown', parent_id = null } = this.agents.get(agentId) ?? {};
    const parent = parent_id === null ? undefined : this.touch(epoch, parent_id, seq, start);
    if (known) {
      if (start < known.started_at) known.started_at = start;
      Object.assign(known, { ended_at: this.now, seq });
      return known;
    }
    const span = this.add(['agent', epoch, agentId], {
      parent_id: parent?.id ?? this.root?.id ?? null,
      ...{ kind: 'agent', name: type, agent_id: agentId, epoch, seq, started_at: start },
    });
    span.ended_at = this.now;
    const before = this.lastSpans.get(agentId);
    if (before !== undefined) span.follows_id = before;
    this.lastSpans.set(agentId, span.id);
    this.agentSpans.set(`${epoch} ${agentId}`, span);
    return span;
  }

  private takeSpan(record: LogRecord, agent: Draft): void {
    const { body } = record;
    switch (body.type) {
      case 'TURN_COMPLETED':
        return this.addTurn(record, body, agent);
      case 'TOOL_STARTED':
        return this.openTool(record, body.id, body.tool_name, agent);
      case 'TOOL_RESULT':
        return this.closeTool(record, body, agent);
      case 'APPROVAL_REQUIRED':
        return this.openWait(record, 'approval', body.approval_id, body.tool_call_id);
      case 'INPUT_REQUIRED':
        return this.openWait(record, 'question', body.request_id, body.tool_call_id);
      case 'TOOL_RESULT_REQUIRED':
        this.clientWaits.set(body.tool_call_id, body.request_id);
        return this.openWait(record, 'client_tool', body.request_id, body.tool_call_id);
      case 'APPROVED':
      case 'REJECTED':
        return this.closeWait(record, body.approval_id, body.cause ?? body.type.toLowerCase());
      case 'INPUT_RECEIVED': {
        const answered = body.answer === null ? 'declined' : 'answered';
        return this.closeWait(record, body.request_id, body.cause ?? answered);
      }
      case 'AGENT_COMPLETED':
        agent.status = body.status === 'completed' ? 'ok' : body.status;
        return;
      case 'ERROR':
        agent.error = { code: body.code, message: cut(body.message) };
        return;
      case 'INTERACTION_COMPLETE':
        return this.end(record, body.status, agent);
      default:
        return;
    }
  }

  private addTurn(
    { epoch, agent_id, seq, key }: LogRecord,
    body: RecordOf<'TURN_COMPLETED'>,
    agent: Draft,
  ): void {
    const { model, error, usage, finish_reason, duration_ms } = body;
    const span = this.add(['model', epoch, key ?? `${seq}`], {
      ...{ parent_id: agent.id, kind: 'model', name: model, agent_id, epoch, seq },
      started_at: earlier(this.now, duration_ms),
    });
    Object.assign(span, { ended_at: this.now, status: error ? 'error' : 'ok', usage });
    span.finish_reason = finish_reason;
    if (error) span.error = { code: error.code, message: cut(error.message) };
    const said = this.said.get(agent_id);
    this.said.delete(agent_id);
    if (said !== undefined) span.output = said;
  }

  private openTool(record: LogRecord, id: string, name: string, agent: Draft): void {
    const { epoch, agent_id, seq } = record;
    const span = this.add(['tool', epoch, id], {
      ...{ parent_id: agent.id, kind: 'tool', name, agent_id, epoch, seq },
      started_at: this.now,
    });
    span.tool_call_id = id;
    const input = this.inputs.get(id);
    if (input !== undefined) span.input = input;
    this.tools.set(id, span);
  }

  /** A call that never started, such as a rejected one, has no span. */
  private closeTool(record: LogRecord, body: RecordOf<'TOOL_RESULT'>, agent: Draft): void {
    const request = this.clientWaits.get(body.id);
    this.clientWaits.delete(body.id);
    if (request !== undefined)
      this.closeWait(record, request, body.is_error ? 'failed' : 'answered');
    else if (!this.tools.has(body.id) && body.duration_ms > 0)
      this.openTool(record, body.id, body.tool_name, agent);
    const span = this.tools.get(body.id);
    if (!span) return;
    this.tools.delete(body.id);
    const status = body.is_error ? 'error' : 'ok';
    Object.assign(span, { ended_at: this.now, status, seq: record.seq });
    this.inputs.delete(body.id);
    if (this.withTexts) span.output = cutText(body.tool_output, MAX_TEXT);
    const start = earlier(this.now, body.duration_ms);
    if (span.started_at === this.now && start < this.now) span.started_at = start;
    if (body.is_error) span.error = { code: 'tool_failed', message: cut(body.tool_output) };
  }

  private openWait(record: LogRecord, kind: string, id: string, callId: string | undefined): void {
    const { epoch, agent_id, seq } = record;
    const span = this.add(['wait', id], {
      ...{ parent_id: this.root?.id ?? null, kind: 'wait', name: kind, agent_id, epoch, seq },
      started_at: this.now,
    });
    span.request_id = id;
    if (callId !== undefined) span.tool_call_id = callId;
    this.waits.set(id, span);
  }

  private closeWait({ seq }: LogRecord, id: string, outcome: string): void {
    const span = this.waits.get(id);
    if (!span) return;
    this.waits.delete(id);
    const status = outcome === 'cancel' ? 'cancelled' : 'ok';
    Object.assign(span, { ended_at: this.now, status, seq, outcome });
  }

  private end({ seq }: LogRecord, status: string, agent: Draft): void {
    const how = ENDS[status] ?? 'error';
    for (const id of [...this.waits.keys()]) this.closeWait({ seq } as LogRecord, id, 'cancel');
    for (const span of this.tools.values())
      Object.assign(span, { ended_at: this.now, status: 'cancelled', seq });
    this.tools.clear();
    for (const span of this.agentSpans.values()) if (span.status === 'running') span.status = how;
    if (this.root) Object.assign(this.root, { ended_at: this.now, status: how, seq });
    if (this.root && agent.error) this.root.error = agent.error;
  }

  private add(
    key: SpanKey,
    fields: Pick<Span, 'parent_id' | 'kind' | 'name' | 'agent_id' | 'epoch' | 'seq' | 'started_at'>,
  ): Draft {
    const id = spanIdOf(this.interactionId, key);
    const span: Draft = { id, ...fields, ended_at: null, status: 'running', events: [] };
    this.drafts.push(span);
    return span;
  }
}

const ENDS: Readonly<Record<string, SpanStatus>> = {
  COMPLETED: 'ok',
  FAILED: 'error',
  CANCELLED: 'cancelled',
};

/** When what a record tells of began. */
function startOf({ body }: LogRecord, now: string): string {
  const lasted = body.type === 'TURN_COMPLETED' || body.type === 'TOOL_RESULT';
  return lasted ? earlier(now, body.duration_ms) : now;
}

function earlier(time: string, ms: number): string {
  return ms > 0 ? new Date(Math.max(0, Date.parse(time) - ms)).toISOString() : time;
}

function eventOf({ body, seq }: LogRecord): Omit<SpanEvent, 'at'> | undefined {
  switch (body.type) {
    case 'NOTICE':
      return { name: body.code, seq, message: cut(body.message) };
    case 'RESUMED':
      return { name: 'resumed', seq, message: body.reason };
    case 'AGENT_INTERVENED':
      return { name: 'agent_intervened', seq };
    case 'CANCELLED':
      return { name: 'cancelled', seq, message: cut(body.reason) };
    case 'ERROR':
      return { name: body.code, seq, message: cut(body.message) };
    default:
      return undefined;
  }
}

function cut(text: string): string {
  return cutText(text, MAX_MESSAGE);
}
