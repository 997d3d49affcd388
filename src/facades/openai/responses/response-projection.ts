import type { FollowedEvent } from '../../../event-log/follow/follower.js';
import type { StreamEvent } from '../../../event-log/follow/stream-event.js';
import type { AppError } from '../../../kernel/app-error.js';
import type { InteractionRow } from '../../../persistence/rows/interaction-row.js';
import { NO_USAGE, addUsage, isWaiting } from '../../../protocol/interaction.js';
import type { FinalStatus, Usage } from '../../../protocol/interaction.js';
import type { StreamFrame } from '../../../streams/event-streams.js';
import type { StreamedProjection } from '../../base/projected-streams.js';
import { OutputBudget } from '../../base/output-budget.js';
import { describeQuestion } from '../../base/describe-question.js';
import { formatCallId, formatResponseId } from '../ids.js';
import { Parts } from '../parts.js';
import { SERVER_LABEL, outputText } from './response-items.js';
import type { FunctionCallItem, MessageItem, OutputItem, ReasoningItem } from './response-items.js';
import { givenMetadata } from './response-metadata.js';
import { OPENING, parseSequence, toSequence } from './sequence.js';
import type { SequencePoint } from './sequence.js';

export interface ResponseOptions {
  readonly row: InteractionRow;
  /** The last record before the part that is answered; 0: all of it. */
  readonly after: number;
  readonly previous_response_id?: string | null;
  /** Requests that are still open: the client gets its answer when nothing goes on without them. */
  readonly waiting?: ReadonlySet<string> | undefined;
  /** The last number that the reader has; undefined: none. */
  readonly starting_after?: number | undefined;
}

type Status = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';
type Fields = Readonly<Record<string, unknown>>;

/** A block that is being streamed, as an item. */
interface OpenBlock {
  readonly kind: 'message' | 'reasoning';
  readonly id: string;
  readonly output_index: number;
  text: string;
}

/**
 * A response: what the root agent says and thinks, its calls, and what it asks for. It ends with
 * the interaction, or when that goes on only once it is answered.
 */
export class ResponseProjection implements StreamedProjection {
  private readonly parts = new Parts();
  private readonly output: OutputItem[] = [];
  private readonly outputs = new OutputBudget();
  private readonly open = new Map<string, OpenBlock>();
  /** Calls of the root agent, by id. */
  private readonly calls = new Map<string, { readonly name: string; readonly input: string }>();
  /** Approvals of calls, by the id of the call. */
  private readonly approvals = new Map<string, string>();
  /** Calls that the client runs. */
  private readonly clientCalls = new Set<string>();
  /** Approvals and questions that are not settled. */
  private readonly asked = new Set<string>();
  /** Ids of texts in whose place the agent has returned another. */
  private readonly replaced = new Set<string>();
  private readonly reader: SequencePoint | undefined;
  /** Length that the reader has received of blocks that are not recorded yet. */
  private has = 0;
  private usage: Usage = NO_USAGE;
  private cutBy: 'max_output_tokens' | 'content_filter' | undefined;
  private error: { readonly code: string; readonly message: string } | null = null;
  private seq: number;
  private index = 0;
  private frames: StreamFrame[] = [];
  private status: Status;
  /** The response that goes on after this one. */
  private next: string | undefined;
  isDone = false;

  constructor(private readonly options: ResponseOptions) {
    this.seq = options.after;
    const { status } = options.row;
    this.status = status === 'QUEUED' || isWaiting(status) ? 'queued' : 'in_progress';
    if (options.starting_after === undefined) return;
    this.reader = parseSequence(options.starting_after);
  }

  begin(): readonly StreamFrame[] {
    this.emit('response.created', { response: this.response() });
    this.emit('response.in_progress', { response: this.response() });
    return this.taken();
  }

  take(followed: FollowedEvent): readonly StreamFrame[] {
    const { event } = followed;
    this.parts.take(followed);
    this.remember(event);
    if ('seq' in event) {
      if (event.seq <= this.options.after) return [];
      this.seq = event.seq;
      this.index = 1;
      if (!this.parts.isPaused) this.status = 'in_progress';
    } else if (!this.hasBegun) return [];
    this.project(event);
    if ('seq' in event && this.reader?.seq === event.seq) this.has = this.reader.length;
    if (!this.isDone && 'seq' in event) this.pause(event.seq);
    return this.taken();
  }

  fail({ code, message }: AppError): readonly StreamFrame[] {
    this.isDone = true;
    this.emit('error', { code, message, param: null });
    return this.taken();
  }

  /** The response in its current state. */
  response(): object {
    const { row, after } = this.options;
    const { id: interaction_id, chat_id, agent, model } = row;
    return {
      id: formatResponseId({ interaction_id, after }),
      object: 'response',
      created_at: Math.floor(Date.parse(row.created_at) / 1000),
      status: this.status,
      background: row.settings.on_disconnect === 'continue',
      error: this.error && { code: 'server_error', message: this.error.message },
      incomplete_details: this.cutBy ? { reason: this.cutBy } : null,
      model: `${agent}:${model}`,
      output: this.output.filter(({ id }) => !this.replaced.has(id)),
      previous_response_id: this.options.previous_response_id ?? null,
      conversation: { id: chat_id },
      metadata: {
        ...givenMetadata(row.metadata),
        ...(this.next && { next_response_id: this.next }),
      },
      usage: this.isDone ? toUsage(this.usage) : null,
      ...SETTINGS,
    };
  }

  private get hasBegun(): boolean {
    return this.seq > this.options.after;
  }

  private isRoot({ agent_id }: StreamEvent): boolean {
    return agent_id === this.options.row.agent_id;
  }

  /** Also of what comes before the part that is answered. */
  private remember(event: StreamEvent): void {
    if (event.type === 'TOOL_CALL' && this.isRoot(event))
      this.calls.set(event.id, { name: event.tool_name, input: event.tool_input });
    if (event.type === 'TOOL_RESULT_REQUIRED') this.clientCalls.add(event.tool_call_id);
    if (event.type === 'APPROVAL_REQUIRED') {
      this.approvals.set(event.tool_call_id, event.approval_id);
      this.asked.add(event.approval_id);
    }
    if (event.type === 'INPUT_REQUIRED') this.asked.add(event.request_id);
    if (event.type === 'INPUT_RECEIVED') this.asked.delete(event.request_id);
    if (event.type === 'APPROVED' || event.type === 'REJECTED')
      this.asked.delete(event.approval_id);
  }

  private project(event: StreamEvent): void {
    switch (event.type) {
      case 'TEXT_DELTA':
        return this.isRoot(event) ? this.addText('message', event) : undefined;
      case 'THINKING_DELTA':
        return this.isRoot(event) ? this.addText('reasoning', event) : undefined;
      case 'MESSAGE':
      case 'THINKING':
        return this.close(event.block_id, 'completed');
      case 'ANSWER':
        if (this.isRoot(event)) this.cutBy = CUTS[event.finish_reason ?? 'stop'];
        if (event.replaces !== undefined) this.replaced.add(this.itemId('message', event.replaces));
        return this.close(event.block_id, event.partial ? 'incomplete' : 'completed');
      case 'TURN_COMPLETED':
        this.usage = addUsage(this.usage, event.usage);
        return;
      case 'TOOL_RESULT_REQUIRED':
        return this.addFunctionCall(event);
      case 'TOOL_RESULT':
        return this.isRoot(event) ? this.addOwnCall(event) : undefined;
      case 'APPROVAL_REQUIRED':
        return this.addItem({
          ...{ id: event.approval_id, type: 'mcp_approval_request', server_label: SERVER_LABEL },
          ...{ name: event.tool_name, arguments: event.tool_input },
        });
      case 'INPUT_REQUIRED':
        return this.addQuestion(event.request_id, describeQuestion(event.question, event.options));
      case 'NOTICE':
        for (const block of event.void ?? []) this.close(block, 'incomplete');
        return;
      case 'RESUMED':
        return this.closeAll();
      case 'ERROR':
        this.error = { code: event.code, message: event.message };
        return;
      case 'INTERACTION_COMPLETE':
        return this.complete(event.status);
      // Not a part of responses: docs/protocols.md says where it is.
      case 'INTERACTION_STARTED':
      case 'CANCELLED':
      case 'APPROVED':
      case 'REJECTED':
      case 'INPUT_RECEIVED':
      case 'TOOL_CALL':
      case 'TOOL_STARTED':
      case 'AGENT_STARTED':
      case 'AGENT_COMPLETED':
      case 'AGENT_INTERVENED':
      case 'AGENT_TOLD':
      case 'NOTE_READ':
      case 'STEP_COMPLETED':
      case 'CUSTOM':
      case 'METADATA_SET':
      case 'TASK_UPDATED':
      case 'TOOL_INPUT_DELTA':
      case 'TOOL_OUTPUT_DELTA':
      case 'TRACE':
        return;
    }
  }

  private addText(
    kind: OpenBlock['kind'],
    { block_id, delta }: { readonly block_id: string; readonly delta: string },
  ): void {
    const block = this.open.get(block_id) ?? this.openBlock(kind, block_id);
    const before = this.lengthBefore(block);
    const from = Math.max(
      0,
      Math.min(delta.length, this.has - before - OPENING - block.text.length),
    );
    block.text += delta;
    const number = this.textNumber(before + OPENING + block.text.length);
    if (from === delta.length) return;
    const fields = { ...placeOf(block), delta: delta.slice(from) };
    if (kind === 'reasoning') this.emit('response.reasoning_text.delta', fields, number);
    else this.emit('response.output_text.delta', { ...fields, logprobs: [] }, number);
  }

  /** The length of the open blocks that were opened before it. */
  private lengthBefore(block: OpenBlock): number {
    let length = 0;
    for (const each of this.open.values()) {
      if (each === block) break;
      length += OPENING + each.text.length;
    }
    return length;
  }

  private openBlock(kind: OpenBlock['kind'], block_id: string): OpenBlock {
    const id = this.itemId(kind, block_id);
    const block = { kind, id, output_index: this.output.length, text: '' };
    this.open.set(block_id, block);
    const item = toItem(block, 'in_progress');
    this.output.push(item);
    const before = this.lengthBefore(block);
    const { output_index } = block;
    const empty = { ...item, content: [] };
    const opening = [
      ['response.output_item.added', { output_index, item: empty }],
      ['response.content_part.added', { ...placeOf(block), part: toPart(block) }],
    ] as const;
    opening.forEach(([type, fields], index) => {
      const number = this.textNumber(before + index + 1);
      if (before + index + 1 > this.has) this.emit(type, fields, number);
    });
    return block;
  }

  private itemId(kind: OpenBlock['kind'], block_id: string): string {
    return `${kind === 'message' ? 'msg' : 'rs'}_${this.options.row.id}_${block_id}`;
  }

  private close(block_id: string, status: 'completed' | 'incomplete'): void {
    const block = this.open.get(block_id);
    if (!block) return;
    this.has = Math.max(0, this.has - OPENING - block.text.length);
    this.open.delete(block_id);
    const item = toItem(block, status);
    this.output[block.output_index] = item;
    const { text, output_index } = block;
    const done = { ...placeOf(block), text };
    if (block.kind === 'reasoning') this.emit('response.reasoning_text.done', done);
    else this.emit('response.output_text.done', { ...done, logprobs: [] });
    this.emit('response.content_part.done', { ...placeOf(block), part: toPart(block) });
    this.emit('response.output_item.done', { output_index, item });
  }

  private closeAll(): void {
    for (const block of this.open.keys()) this.close(block, 'incomplete');
    this.has = 0;
  }

  private addItem(item: OutputItem, added: OutputItem = item, between?: () => void): void {
    const output_index = this.output.length;
    this.output.push(item);
    this.emit('response.output_item.added', { output_index, item: added });
    between?.();
    this.emit('response.output_item.done', { output_index, item });
  }

  private addFunctionCall(event: {
    readonly request_id: string;
    readonly tool_call_id: string;
    readonly tool_name: string;
    readonly tool_input: string;
  }): void {
    const item: FunctionCallItem = {
      id: `fc_${event.request_id}`,
      type: 'function_call',
      status: 'completed',
      call_id: formatCallId(event.tool_call_id, this.options.row.id),
      name: event.tool_name,
      arguments: event.tool_input,
    };
    const place = { item_id: item.id, output_index: this.output.length };
    this.addItem(item, { ...item, status: 'in_progress', arguments: '' }, () => {
      this.emit('response.function_call_arguments.delta', { ...place, delta: item.arguments });
      const { name, arguments: input } = item;
      this.emit('response.function_call_arguments.done', { ...place, name, arguments: input });
    });
  }

  /** Whole, once it has its result: no item stays open. */
  private addOwnCall(event: {
    readonly id: string;
    readonly tool_output: string;
    readonly is_error: boolean;
  }): void {
    const call = this.calls.get(event.id);
    if (!call || this.clientCalls.has(event.id)) return;
    const { is_error } = event;
    const tool_output = this.outputs.take(event.tool_output);
    this.addItem({
      ...{ id: `mcp_${this.options.row.id}_${event.id}`, type: 'mcp_call' },
      ...{ status: is_error ? 'failed' : 'completed', server_label: SERVER_LABEL },
      ...{ name: call.name, arguments: call.input },
      approval_request_id: this.approvals.get(event.id) ?? null,
      ...{ output: is_error ? null : tool_output, error: is_error ? tool_output : null },
    });
  }

  private addQuestion(request_id: string, text: string): void {
    const block = { kind: 'message', id: `msg_${request_id}`, text } as const;
    const item = toItem(block, 'completed');
    const place = { item_id: block.id, output_index: this.output.length, content_index: 0 };
    this.addItem(item, { ...item, content: [] }, () => {
      this.emit('response.content_part.added', { ...place, part: outputText('') });
      this.emit('response.output_text.delta', { ...place, delta: text, logprobs: [] });
      this.emit('response.output_text.done', { ...place, text, logprobs: [] });
      this.emit('response.content_part.done', { ...place, part: outputText(text) });
    });
  }

  private complete(status: FinalStatus): void {
    this.closeAll();
    this.isDone = true;
    if (status === 'FAILED') {
      this.error ??= { code: 'failed', message: 'The agent failed.' };
      this.status = 'failed';
      return this.emit('response.failed', { response: this.response() });
    }
    this.error = null;
    if (status === 'CANCELLED') {
      this.status = 'cancelled';
      // The protocol has no event for it: the status says so.
      return this.emit('response.incomplete', { response: this.response() });
    }
    this.end();
  }

  private pause(seq: number): void {
    if (this.parts.last === seq) {
      this.next = formatResponseId({ interaction_id: this.options.row.id, after: seq });
      this.end();
    } else if (this.options.waiting && this.parts.isPausedBy(this.options.waiting))
      this.end('incomplete');
  }

  /** Calls that the client runs end a response as in OpenAI's API; other requests, unfinished. */
  private end(
    status: Status = this.asked.size > 0 || this.cutBy ? 'incomplete' : 'completed',
  ): void {
    this.isDone = true;
    this.status = status;
    this.emit(`response.${status}`, { response: this.response() });
  }

  /** Sequence number of a text that comes after the events of the last record. */
  private textNumber(length: number): number {
    return toSequence({ seq: this.seq, events: this.index - 1, length });
  }

  private nextNumber(): number {
    const length = [...this.open.values()].reduce(
      (sum, { text }) => sum + OPENING + text.length,
      0,
    );
    return toSequence({ seq: this.seq, events: this.index++, length });
  }

  private emit(type: string, fields: Fields, number = this.nextNumber()): void {
    const { starting_after } = this.options;
    if (starting_after !== undefined && number <= starting_after) return;
    const data = JSON.stringify({ type, sequence_number: number, ...fields });
    this.frames.push({ type, data });
  }

  private taken(): readonly StreamFrame[] {
    const { frames } = this;
    this.frames = [];
    return frames;
  }
}

const CUTS: Readonly<Record<string, 'max_output_tokens' | 'content_filter' | undefined>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
};

/** Settings that agents decide themselves, with the values that mean so. */
const SETTINGS = {
  ...{ instructions: null, max_output_tokens: null },
  ...{ temperature: null, top_p: null, tool_choice: 'auto', tools: [], parallel_tool_calls: true },
  ...{ truncation: 'auto', store: true, text: { format: { type: 'text' } } },
};

function toItem(
  { kind, id, text }: Pick<OpenBlock, 'kind' | 'id' | 'text'>,
  status: 'in_progress' | 'completed' | 'incomplete',
): MessageItem | ReasoningItem {
  return kind === 'message'
    ? { id, type: 'message', role: 'assistant', status, content: [outputText(text)] }
    : { id, type: 'reasoning', status, summary: [], content: [{ type: 'reasoning_text', text }] };
}

function toPart({ kind, text }: OpenBlock): object {
  return kind === 'message' ? outputText(text) : { type: 'reasoning_text', text };
}

function placeOf({ id, output_index }: OpenBlock): Fields {
  return { item_id: id, output_index, content_index: 0 };
}

function toUsage({ input_tokens, output_tokens, cached_tokens, reasoning_tokens }: Usage): object {
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: cached_tokens ?? 0 },
    output_tokens,
    output_tokens_details: { reasoning_tokens: reasoning_tokens ?? 0 },
    total_tokens: input_tokens + output_tokens,
  };
}
