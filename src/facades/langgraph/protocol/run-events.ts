import type { StreamEvent } from '../../../event-log/follow/stream-event.js';
import type { RecordEvent } from '../../../protocol/events.js';
import { OpenWork } from '../../base/open-work.js';
import { interruptsOf, viewInterrupt } from '../interrupts/interrupt.js';
import type { InterruptedBy, OpenRequest } from '../interrupts/interrupt.js';
import { AgentMessages, voidsAll } from '../messages/agent-messages.js';
import { readArguments } from '../messages/message.js';
import type { LcMessage } from '../messages/message.js';
import { formatRunId } from '../runs/run-id.js';
import { customOf } from '../runs/custom-data.js';
import { BEGINNING, inputCheckpoint } from '../threads/checkpoint-ids.js';
import { stepOf } from '../threads/step-of.js';
import { MessageEvents } from './message-events.js';
import type { Made } from './message-events.js';

/** The facts about an interaction that its events don't have. */
export interface RunContext {
  readonly parent_id: string | null;
  readonly human: LcMessage;
  /** The messages of the thread before it. */
  readonly earlier: readonly LcMessage[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** An event of a thread, but for its place in it. */
export interface Placed extends Made {
  readonly namespace: readonly string[];
}

/** The root or a child, as a part of the thread. */
interface AgentState {
  readonly namespace: readonly string[];
  readonly messages: AgentMessages;
  readonly events: MessageEvents;
}

const ENDS = { COMPLETED: 'completed', FAILED: 'failed', CANCELLED: 'interrupted' } as const;
const ROOT: readonly string[] = [];
const CHILD_ENDS: Readonly<Record<string, string>> = { completed: 'completed', failed: 'failed' };

/** An interaction in the words of the protocol: a fold over its events, from the first. */
export class RunEvents {
  private readonly work = new OpenWork();
  private readonly agents = new Map<string, AgentState>();
  private readonly requests = new Map<string, OpenRequest>();
  private readonly openCalls = new Set<string>();
  private interrupts: readonly InterruptedBy[] = [];
  private error = 'The interaction failed.';
  private seq = 0;
  private run_id: string;

  constructor(
    private readonly interaction_id: string,
    private readonly root: string,
    private readonly context: RunContext,
  ) {
    this.run_id = interaction_id;
    this.add(root, ROOT);
  }

  take(event: StreamEvent, cursor: string): Placed[] {
    this.work.take(event);
    const agent = this.agents.get(event.agent_id);
    const before = this.messagesIfVoid(event);
    const changes = agent?.messages.take(event) ?? [];
    if ('seq' in event) this.seq = event.seq;
    const said = agent
      ? changes.flatMap((each) => place(agent.namespace, agent.events.take(each, cursor)))
      : [];
    if (!('seq' in event)) return [...said, ...this.other(event)];
    return [...said, ...this.voided(before), ...this.record(event, changes.length > 0)];
  }

  private add(id: string, namespace: readonly string[]): void {
    const messages = new AgentMessages(this.interaction_id, id);
    this.agents.set(id, { namespace, messages, events: new MessageEvents() });
  }

  private other(event: Exclude<StreamEvent, RecordEvent>): Placed[] {
    if (event.type !== 'TOOL_OUTPUT_DELTA') return [];
    const { tool_call_id, delta, block_id, offset } = event;
    const data = { event: 'tool-output-delta', tool_call_id, delta };
    return this.of(event, { key: `${block_id}.${offset}#output`, method: 'tools', data });
  }

  private record(event: RecordEvent, hasChanged: boolean): Placed[] {
    switch (event.type) {
      case 'INTERACTION_STARTED':
        return [
          this.lifecycle('running', { graph_name: event.agent }),
          ...this.values('input', 'input'),
        ];
      case 'TURN_COMPLETED':
        return this.turn(event);
      case 'TOOL_CALL': {
        const { id: tool_call_id, tool_name, tool_input } = event;
        if (event.agent_id === this.root) this.openCalls.add(tool_call_id);
        const input = readArguments(tool_input) ?? tool_input;
        const data = { event: 'tool-started', tool_call_id, tool_name, input };
        return this.tool(event, data);
      }
      case 'TOOL_RESULT': {
        const { id: tool_call_id, tool_output, is_error } = event;
        this.openCalls.delete(tool_call_id);
        const outcome = is_error ? { message: tool_output } : { output: tool_output };
        const data = { event: is_error ? 'tool-error' : 'tool-finished', tool_call_id, ...outcome };
        const isStep = hasChanged && event.agent_id === this.root && this.openCalls.size === 0;
        const answered = this.unblocked(event);
        return [
          ...answered,
          ...this.tool(event, data),
          ...(isStep ? this.values('loop', 'results') : []),
        ];
      }
      case 'APPROVAL_REQUIRED': {
        const { approval_id: id, ...fields } = event;
        return this.ask({ id, kind: 'approval', fields });
      }
      case 'INPUT_REQUIRED':
      case 'TOOL_RESULT_REQUIRED': {
        const { request_id: id, type, ...fields } = event;
        return this.ask({ id, kind: type === 'INPUT_REQUIRED' ? 'input' : 'tool', fields });
      }
      case 'AGENT_STARTED':
        return [...this.start(event), ...this.custom(event)];
      case 'AGENT_COMPLETED':
        return [...this.endOfChild(event), ...this.custom(event)];
      case 'ERROR':
        this.error = `${event.code}: ${event.message}`;
        return [];
      case 'INTERACTION_COMPLETE':
        return this.end(event.status);
      case 'ANSWER':
      case 'THINKING':
      case 'MESSAGE':
      case 'TOOL_STARTED':
      case 'STEP_COMPLETED':
      case 'CANCELLED':
      case 'AGENT_TOLD':
      case 'NOTE_READ':
        return [...this.unblocked(event), ...this.blocked()];
      case 'APPROVED':
      case 'REJECTED':
      case 'INPUT_RECEIVED':
      case 'CUSTOM':
      case 'METADATA_SET':
      case 'TASK_UPDATED':
      case 'AGENT_INTERVENED':
      case 'NOTICE':
      case 'RESUMED':
        return [...this.custom(event), ...this.unblocked(event), ...this.blocked()];
    }
  }

  private turn(event: Extract<RecordEvent, { type: 'TURN_COMPLETED' }>): Placed[] {
    const agent = this.agents.get(event.agent_id);
    if (!agent || event.error) return [];
    const finished = place(
      agent.namespace,
      agent.events.endTurn(event.usage, agent.messages.isAnswered),
    );
    return [
      ...finished,
      ...(agent.namespace === ROOT ? this.values('loop', 'turn') : []),
      ...this.blocked(),
    ];
  }

  private start(event: Extract<RecordEvent, { type: 'AGENT_STARTED' }>): Placed[] {
    const { agent_id, parent_agent_id, agent_type, tool_call_id } = event;
    const parent = this.agents.get(parent_agent_id ?? this.root)?.namespace ?? ROOT;
    const segment = tool_call_id === undefined ? `agent:${agent_id}` : `tools:${tool_call_id}`;
    this.add(agent_id, [...parent, segment]);
    const cause = tool_call_id !== undefined && { cause: { type: 'toolCall', tool_call_id } };
    const data = { event: 'started', graph_name: agent_type, ...cause };
    return this.of(event, { key: `${agent_id}#started`, method: 'lifecycle', data });
  }

  private endOfChild(event: Extract<RecordEvent, { type: 'AGENT_COMPLETED' }>): Placed[] {
    const { agent_id, status, result } = event;
    const agent = this.agents.get(agent_id);
    const finished = agent ? place(agent.namespace, agent.events.finish()) : [];
    const ended = CHILD_ENDS[status] ?? 'interrupted';
    const data = { event: ended, ...(ended === 'failed' && { error: result }) };
    const made = { key: `${agent_id}#ended`, method: 'lifecycle', data };
    return [...finished, ...this.of(event, made), ...this.blocked()];
  }

  /** They show once nothing goes on without them. */
  private ask(request: OpenRequest): Placed[] {
    this.requests.set(request.id, request);
    return this.blocked();
  }

  private blocked(): Placed[] {
    const open = this.work.blockedBy(() => true).flatMap(({ id }) => this.requests.get(id) ?? []);
    if (open.length === 0 || this.interrupts.length > 0) return [];
    this.interrupts = interruptsOf(open);
    const asked = this.interrupts.map(viewInterrupt).map(({ id, value }) => {
      const data = { interrupt_id: id, payload: value };
      return atRoot({ key: `${this.seq}#asks${id}`, method: 'input.requested', data });
    });
    return [...asked, ...this.values('loop', 'waits'), this.lifecycle('interrupted')];
  }

  /** Once one of the requests is settled, by whomever. */
  private unblocked(event: RecordEvent): Placed[] {
    const settled = settledBy(event);
    const isOver = ({ requests }: InterruptedBy): boolean =>
      requests.some(({ id, fields }) => id === settled || fields['tool_call_id'] === settled);
    const over = settled === undefined ? [] : this.interrupts.filter(isOver);
    if (over.length === 0) return [];
    this.interrupts = [];
    this.run_id = formatRunId({ interaction_id: this.interaction_id, after: event.seq - 1 });
    const data = { interrupt_ids: over.map(({ id }) => id) };
    const answered = atRoot({ key: `${this.seq}#answered`, method: 'input.answered', data });
    return [answered, this.lifecycle('running')];
  }

  private end(status: keyof typeof ENDS): Placed[] {
    const finished = this.agents.get(this.root)!.events.finish();
    const event = ENDS[status];
    const error = event === 'failed' && { error: this.error };
    return [
      ...place(ROOT, finished),
      ...this.values('loop', 'end'),
      this.lifecycle(event, { ...error }),
    ];
  }

  /** Clients take the id of the run from the id of the event. */
  private lifecycle(event: string, more: Made['data'] = {}): Placed {
    const key = `synth:${this.run_id}:${event}:${this.seq}`;
    return atRoot({ key, method: 'lifecycle', data: { event, ...more } });
  }

  private values(source: 'input' | 'loop', at: string, messages = this.ownMessages()): Placed[] {
    const { context, interaction_id: id } = this;
    const input = inputCheckpoint({ id, metadata: context.metadata });
    const step = stepOf(id) + (source === 'loop' ? 1 : 0);
    const checkpoint =
      source === 'loop'
        ? { id, parent_id: input, step }
        : { id: input, parent_id: context.parent_id ?? BEGINNING, step };
    const key = `${this.seq}#${at}`;
    return [
      atRoot({ key: `${key}checkpoint`, method: 'checkpoints', data: checkpoint }),
      atRoot({
        key,
        method: 'values',
        data: { messages: [...context.earlier, context.human, ...messages] },
      }),
    ];
  }

  private ownMessages(): LcMessage[] {
    return this.agents.get(this.root)!.messages.toMessages();
  }

  /** The messages before a record that may take some back. */
  private messagesIfVoid(event: StreamEvent): readonly LcMessage[] | undefined {
    const isVoid = voidsAll(event) || (event.type === 'NOTICE' && event.void);
    return isVoid ? this.ownMessages() : undefined;
  }

  /** A message goes from clients when it was in a state, and is in the next one no more. */
  private voided(before: readonly LcMessage[] | undefined): Placed[] {
    const after = this.ownMessages();
    if (!before || before.length === after.length) return [];
    for (const { events } of this.agents.values()) events.drop();
    return [...this.values('loop', 'void', [...before]), ...this.values('loop', 'left')];
  }

  private tool(event: RecordEvent, data: Made['data']): Placed[] {
    return this.of(event, { key: `${this.seq}#${String(data['event'])}`, method: 'tools', data });
  }

  private custom(event: RecordEvent): Placed[] {
    const found = customOf(event);
    if (!found) return [];
    const { type, ...payload } = found;
    const name = event.type === 'CUSTOM' ? event.name : type;
    return this.of(event, { key: `${this.seq}#custom`, method: 'custom', data: { name, payload } });
  }

  private of({ agent_id }: StreamEvent, made: Made): Placed[] {
    return place(this.agents.get(agent_id)?.namespace ?? ROOT, [made]);
  }
}

function settledBy(event: RecordEvent): string | undefined {
  if (event.type === 'APPROVED' || event.type === 'REJECTED') return event.approval_id;
  if (event.type === 'INPUT_RECEIVED') return event.request_id;
  return event.type === 'TOOL_RESULT' ? event.id : undefined;
}

function place(namespace: readonly string[], made: readonly Made[]): Placed[] {
  return made.map((each) => ({ ...each, namespace }));
}

function atRoot(made: Made): Placed {
  return { ...made, namespace: ROOT };
}
