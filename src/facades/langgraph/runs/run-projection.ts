import type { FollowedEvent } from '../../../event-log/follow/follower.js';
import type { StreamEvent } from '../../../event-log/follow/stream-event.js';
import type { AppError } from '../../../kernel/app-error.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import type { RecordEvent } from '../../../protocol/events.js';
import type { StreamFrame } from '../../../streams/event-streams.js';
import { OpenWork } from '../../base/open-work.js';
import type { OpenRequest as OpenEnd } from '../../base/open-work.js';
import type { StreamedProjection } from '../../base/projected-streams.js';
import { interruptsOf, viewInterrupt } from '../interrupts/interrupt.js';
import type { Interrupt, OpenRequest } from '../interrupts/interrupt.js';
import { AgentMessages } from '../messages/agent-messages.js';
import type { MessageChange } from '../messages/agent-messages.js';
import type { LcMessage } from '../messages/message.js';
import { humanMessage } from '../threads/message-ids.js';
import { formatFrameId } from './frame-id.js';
import type { FramePosition } from './frame-id.js';
import { messageTuple } from './message-tuple.js';
import { formatRunId } from './run-id.js';
import { customOf } from './custom-data.js';

export const STREAM_MODES = ['values', 'updates', 'messages-tuple', 'custom'] as const;
export type StreamMode = (typeof STREAM_MODES)[number];

/** How a run ended. */
export type RunEnd = 'success' | 'error' | 'interrupted';

export interface RunOptions {
  readonly row: InteractionRow;
  /** The messages of the thread up to the interaction that this one follows; null: before all. */
  readonly readEarlier: (parent_id: string | null) => Promise<readonly LcMessage[]>;
  readonly modes: ReadonlySet<StreamMode>;
  /** The run begins after this record; 0: with the interaction. */
  readonly after: number;
  /** The frames that the client has; undefined: none. */
  readonly position?: FramePosition | undefined;
  /** False for requests that are settled, although no record says so yet. */
  readonly isOpen: (request: OpenEnd) => boolean;
}

/** A frame before it has its id. */
interface Part {
  readonly event: string;
  readonly toJson: () => string;
}

interface NumberedParts {
  readonly cursor: string;
  /** The rest of a text, which the client may have already. */
  readonly rest: readonly Part[];
  readonly parts: readonly Part[];
}

type Values = Readonly<Record<string, unknown>>;
const ENDS = { COMPLETED: 'success', FAILED: 'error', CANCELLED: 'interrupted' } as const;
const STOPPED_READING = { error: 'internal', message: 'Reading failed. Read again.' };

/**
 * A run as LangGraph's clients read it: a fold over the events of its interaction, from the first.
 * It ends with the interaction, or when nothing goes on before a request is settled.
 */
export class RunProjection implements StreamedProjection {
  /** Undefined while it goes on. */
  end: RunEnd | undefined;
  private hasFailed = false;
  private readonly work = new OpenWork();
  private readonly messages: AgentMessages;
  private readonly requests = new Map<string, OpenRequest>();
  private readonly openCalls = new Set<string>();
  /** JSON of the messages before the interaction, each with a comma. */
  private earlier = '';
  private readonly jsons = new WeakMap<LcMessage, string>();
  private readonly human: LcMessage;
  private interrupts: readonly Interrupt[] = [];
  private error: { readonly error: string; readonly message: string } = STOPPED_READING;
  private seq = 0;
  private last_id = '0';

  constructor(private readonly options: RunOptions) {
    const { row } = options;
    this.messages = new AgentMessages(row.id, row.agent_id);
    this.human = humanMessage(row);
  }

  get isDone(): boolean {
    return this.end !== undefined || this.hasFailed;
  }

  /** The state at its end, as JSON. */
  get result(): string {
    const failed = this.end === 'error' && { __error__: this.error };
    return this.values({ ...failed, ...this.interruption() });
  }

  begin(): readonly StreamFrame[] {
    if (this.options.position) return [];
    const { chat_id: thread_id, agent } = this.options.row;
    const data = { run_id: this.run_id, thread_id, attempt: 1, graph_id: agent };
    return [{ type: 'metadata', id: this.last_id, data: JSON.stringify(data) }];
  }

  /** A queued interaction knows only now what it follows. */
  async prepare({ event }: FollowedEvent): Promise<void> {
    if (event.type !== 'INTERACTION_STARTED') return;
    const earlier = await this.options.readEarlier(event.parent_id);
    this.earlier = earlier.map((each) => `${JSON.stringify(each)},`).join('');
  }

  take({ event, cursor }: FollowedEvent): readonly StreamFrame[] {
    if (this.isDone) return [];
    this.work.take(event);
    const changes = this.messages.take(event);
    if (!('seq' in event)) {
      const { after, position } = this.options;
      if (this.seq < Math.max(after, position?.cursor.seq ?? 0)) return [];
      return this.frames([...this.texts(changes), ...customParts(event)], () => cursor);
    }
    this.seq = event.seq;
    this.note(event);
    if (event.seq < Math.max(this.options.after, 1)) return [];
    const isFirst = event.seq <= Math.max(this.options.after, 1);
    const rest = this.options.after === event.seq ? [] : this.texts(changes);
    const parts = isFirst ? [this.valuesPart()] : this.partsOf(event, changes);
    if (event.seq > this.options.after || !isFirst) parts.push(...this.endsWith(event));
    return this.numbered(event.seq, { cursor, rest, parts });
  }

  fail({ code: error, message }: AppError): readonly StreamFrame[] {
    if (this.isDone) return [];
    this.hasFailed = true;
    return [{ type: 'error', id: this.last_id, data: JSON.stringify({ error, message }) }];
  }

  private get run_id(): string {
    return formatRunId({ interaction_id: this.options.row.id, after: this.options.after });
  }

  /** Keeps what later parts are made of. */
  private note(event: RecordEvent): void {
    switch (event.type) {
      case 'TOOL_CALL':
        if (event.agent_id === this.options.row.agent_id) this.openCalls.add(event.id);
        return;
      case 'TOOL_RESULT':
        return void this.openCalls.delete(event.id);
      case 'APPROVAL_REQUIRED': {
        const { approval_id: id, ...fields } = event;
        return void this.requests.set(id, { id, kind: 'approval', fields });
      }
      case 'INPUT_REQUIRED':
      case 'TOOL_RESULT_REQUIRED': {
        const { request_id: id, type, ...fields } = event;
        const kind = type === 'INPUT_REQUIRED' ? 'input' : 'tool';
        return void this.requests.set(id, { id, kind, fields });
      }
      case 'ERROR':
        this.error = { error: event.code, message: event.message };
        return;
      case 'INTERACTION_STARTED':
      case 'THINKING':
      case 'MESSAGE':
      case 'ANSWER':
      case 'TURN_COMPLETED':
      case 'TOOL_STARTED':
      case 'APPROVED':
      case 'REJECTED':
      case 'INPUT_RECEIVED':
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
      case 'INTERACTION_COMPLETE':
        return undefined;
    }
  }

  /** Texts go on where the client has them. */
  private texts(changes: readonly MessageChange[]): Part[] {
    const offsets = this.options.position?.cursor.offsets;
    return changes.flatMap((change) => {
      if (change.kind !== 'text' && change.kind !== 'thinking') return [];
      const shown = Math.max((offsets?.get(change.block_id) ?? 0) - change.from, 0);
      const delta = change.delta.slice(shown);
      return delta === '' ? [] : this.tuple({ ...change, delta });
    });
  }

  private partsOf(event: RecordEvent, changes: readonly MessageChange[]): Part[] {
    const isRoot = event.agent_id === this.options.row.agent_id;
    const others = changes.filter(({ kind }) => kind === 'call' || kind === 'result');
    const parts = others.map((change) => this.tuple(change));
    const [result] = changes.flatMap((change) => (change.kind === 'result' ? change.message : []));
    if (result) parts.push(updates({ tools: { messages: [result] } }));
    const isStep = event.type === 'TURN_COMPLETED' && isRoot && event.error === undefined;
    const last = isStep ? this.messages.lastAnswer() : undefined;
    if (last) parts.push(updates({ agent: { messages: [last] } }));
    if (last || (result && this.openCalls.size === 0)) parts.push(this.valuesPart());
    return [...parts, ...customParts(event)];
  }

  /** The last frames, if it ends here. */
  private endsWith(event: RecordEvent): Part[] {
    if (event.type === 'INTERACTION_COMPLETE') {
      this.end = ENDS[event.status];
      const failed = this.end === 'error' ? [part('error', this.error)] : [];
      return [this.valuesPart(), ...failed, this.endPart()];
    }
    const open = this.work.blockedBy(this.options.isOpen);
    if (open.length === 0) return [];
    this.end = 'interrupted';
    const requests = open.flatMap(({ id }) => this.requests.get(id) ?? []);
    this.interrupts = interruptsOf(requests).map(viewInterrupt);
    return [updates(this.interruption()), this.valuesPart(), this.endPart()];
  }

  private interruption(): Values {
    return this.interrupts.length > 0 ? { __interrupt__: this.interrupts } : {};
  }

  private valuesPart(): Part {
    return { event: 'values', toJson: () => this.values(this.interruption()) };
  }

  /** The messages before the interaction are JSON already. */
  private values(more: Values): string {
    const own = [this.human, ...this.messages.toMessages()].map((each) => this.jsonOf(each));
    const fields = JSON.stringify(more).slice(1, -1);
    const messages = `"messages":[${this.earlier}${own.join(',')}]`;
    return `{${messages}${fields === '' ? '' : `,${fields}`}}`;
  }

  /** Each message once: every step has all that were before it. */
  private jsonOf(message: LcMessage): string {
    const json = this.jsons.get(message) ?? JSON.stringify(message);
    this.jsons.set(message, json);
    return json;
  }

  private endPart(): Part {
    return part('end', { run_id: this.run_id, status: this.end });
  }

  private tuple(change: MessageChange): Part {
    const { chat_id: thread_id, agent: graph_id } = this.options.row;
    const node = change.kind === 'result' ? 'tools' : 'agent';
    const about = { run_id: this.run_id, thread_id, graph_id, langgraph_node: node, tags: [] };
    return part('messages', [messageTuple(change), about]);
  }

  /** A client that comes back names how many of the record's frames it has: of its modes. */
  private numbered(seq: number, { cursor, rest, parts }: NumberedParts): StreamFrame[] {
    const { position } = this.options;
    if (position !== undefined && seq < position.cursor.seq) return [];
    const shown = position?.cursor.seq === seq ? position.frames : -1;
    const texts = shown < 0 ? this.frames(rest, () => formatFrameId(cursor, 0)) : [];
    const others = this.frames(parts, (at) => formatFrameId(cursor, at + 1));
    return [...texts, ...others.slice(Math.max(shown, 0))];
  }

  /** Frames of the parts whose mode was requested, and of the end. */
  private frames(parts: readonly Part[], idOf: (at: number) => string): StreamFrame[] {
    const { modes } = this.options;
    const wanted = parts.filter(({ event }) => {
      if (event === 'end' || event === 'error') return true;
      return modes.has(event === 'messages' ? 'messages-tuple' : (event as StreamMode));
    });
    return wanted.map(({ event: type, toJson }, at) => {
      this.last_id = idOf(at);
      return { type, id: this.last_id, data: toJson() };
    });
  }
}

function customParts(event: StreamEvent): Part[] {
  const data = customOf(event);
  return data ? [part('custom', data)] : [];
}

function updates(data: Values): Part {
  return part('updates', data);
}

function part(event: string, data: unknown): Part {
  return { event, toJson: () => JSON.stringify(data) };
}
