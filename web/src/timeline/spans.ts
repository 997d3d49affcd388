import type { RecordEvent } from 'parley/client';

export type SpanKind = 'turn' | 'tool' | 'wait' | 'lost';
export type MarkKind = 'retry' | 'resume' | 'note' | 'error' | 'cancel';

/** Something that took time. Times are in ms since 1970. */
export interface Span {
  readonly kind: SpanKind;
  readonly agent_id: string;
  readonly from: number;
  /** null: it has not ended. */
  readonly to: number | null;
  /** The record that says most of it: its end, else its beginning. */
  readonly seq: number;
  readonly isBad: boolean;
}

/** Something that happened at once. */
export interface Mark {
  readonly kind: MarkKind;
  readonly agent_id: string;
  readonly at: number;
  readonly seq: number;
}

export interface AgentLine {
  readonly id: string;
  readonly type: string;
  readonly depth: number;
}

export interface Timeline {
  readonly begin: number;
  /** Time of the last record. */
  readonly end: number;
  readonly hasEnded: boolean;
  /** In the order in which they began. */
  readonly spans: readonly Span[];
  readonly marks: readonly Mark[];
  /** Each after its parent, in the order in which they began. */
  readonly agents: readonly AgentLine[];
  /** The time of each record; it never goes back, even where the clocks of servers differ. */
  readonly times: readonly number[];
}

interface Open {
  readonly agent_id: string;
  readonly from: number;
  readonly seq: number;
}

/** Spans of time in an interaction, from its records. */
export function timelineOf(records: readonly RecordEvent[]): Timeline {
  const reader = new Reader();
  for (const record of records) reader.take(record);
  return reader.done();
}

const MARKS: Readonly<Record<string, MarkKind>> = {
  RESUMED: 'resume',
  AGENT_INTERVENED: 'note',
  AGENT_TOLD: 'note',
  ERROR: 'error',
  CANCELLED: 'cancel',
};
const RETRIES = new Set(['model_retry', 'model_fallback', 'retried']);

class Reader {
  private readonly spans: Span[] = [];
  private readonly marks: Mark[] = [];
  private readonly times: number[] = [];
  private readonly calls = new Map<string, Open>();
  private readonly waits = new Map<string, Open>();
  private readonly parents = new Map<string, string | null>();
  private readonly types = new Map<string, string>();
  private hasEnded = false;

  take(record: RecordEvent): void {
    const before = this.times.at(-1) ?? -Infinity;
    const at = Math.max(Date.parse(record.at), before);
    this.times.push(at);
    this.takeSpan(record, at, before);
    this.takeMark(record, at);
  }

  done(): Timeline {
    const { times, marks, hasEnded } = this;
    const end = times.at(-1) ?? 0;
    for (const it of this.calls.values()) this.add('tool', it, hasEnded ? end : null, it.seq);
    for (const it of this.waits.values()) this.add('wait', it, hasEnded ? end : null, it.seq);
    const spans = this.spans.sort((a, b) => a.from - b.from);
    return { begin: times[0] ?? 0, end, hasEnded, spans, marks, agents: this.lines(), times };
  }

  private takeSpan(record: RecordEvent, at: number, before: number): void {
    const { seq, agent_id } = record;
    const open = { agent_id, from: at, seq };
    switch (record.type) {
      case 'INTERACTION_STARTED':
        return this.begin(agent_id, null, record.agent);
      case 'AGENT_STARTED':
        return this.begin(agent_id, record.parent_agent_id, record.agent_type);
      case 'TURN_COMPLETED': {
        const from = Math.max(at - record.duration_ms, this.times[0]!);
        this.add('turn', { agent_id, from, seq }, at, seq, record.error != null);
        return;
      }
      case 'TOOL_STARTED':
        this.calls.set(`${agent_id} ${record.id}`, open);
        return;
      case 'TOOL_RESULT': {
        const call = `${agent_id} ${record.id}`;
        const began = this.calls.get(call);
        this.calls.delete(call);
        this.settle(call, at, seq);
        if (began) this.add('tool', began, at, seq, record.is_error);
        return;
      }
      case 'APPROVAL_REQUIRED':
        this.waits.set(record.approval_id, open);
        return;
      case 'INPUT_REQUIRED':
        this.waits.set(record.request_id, open);
        return;
      case 'TOOL_RESULT_REQUIRED':
        this.waits.set(`${agent_id} ${record.tool_call_id}`, open);
        return;
      case 'APPROVED':
      case 'REJECTED':
        return this.settle(record.approval_id, at, seq);
      case 'INPUT_RECEIVED':
        return this.settle(record.request_id, at, seq);
      case 'RESUMED':
        // The process was lost at some time since the record before.
        this.hasEnded = false;
        return this.add('lost', { agent_id, from: before, seq }, at, seq);
      case 'INTERACTION_COMPLETE':
        this.hasEnded = true;
        return;
      default:
    }
  }

  private takeMark(record: RecordEvent, at: number): void {
    const isRetry = record.type === 'NOTICE' && RETRIES.has(record.code);
    const kind = isRetry ? 'retry' : MARKS[record.type];
    if (kind) this.marks.push({ kind, agent_id: record.agent_id, at, seq: record.seq });
  }

  private begin(id: string, parent: string | null, type: string): void {
    this.parents.set(id, parent);
    this.types.set(id, type);
  }

  private settle(id: string, at: number, seq: number): void {
    const wait = this.waits.get(id);
    if (!wait) return;
    this.waits.delete(id);
    this.add('wait', wait, at, seq);
  }

  private add(kind: SpanKind, open: Open, to: number | null, seq: number, isBad = false): void {
    const { agent_id, from } = open;
    this.spans.push({ kind, agent_id, from, to, seq, isBad });
  }

  private lines(): readonly AgentLine[] {
    const children = new Map<string | null, string[]>();
    for (const [id, parent] of this.parents)
      children.set(parent, [...(children.get(parent) ?? []), id]);
    const lines: AgentLine[] = [];
    const add = (id: string, depth: number): void => {
      lines.push({ id, type: this.types.get(id)!, depth });
      for (const child of children.get(id) ?? []) add(child, depth + 1);
    };
    for (const id of children.get(null) ?? []) add(id, 0);
    return lines;
  }
}
