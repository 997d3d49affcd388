import type { FollowedEvent } from '../../event-log/follow/follower.js';
import type { StreamEvent } from '../../event-log/follow/stream-event.js';
import type { AppError } from '../../kernel/app-error.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import type { FinalStatus } from '../../protocol/interaction.js';
import type { StreamFrame } from '../../streams/event-streams.js';
import { OpenWork } from '../base/open-work.js';
import type { OpenRequest } from '../base/open-work.js';
import type { StreamedProjection } from '../base/projected-streams.js';
import { formatEventId, formatFormId } from './call-state.js';
import type { Call } from './call-state.js';
import { toForm } from './forms.js';
import type { Form } from './forms.js';
import { toResponse } from './message.js';
import { describeProgress } from './progress.js';
import { COMPLETE, askingResult, failedCall } from './results.js';

export interface CallProjectionOptions {
  readonly row: Pick<InteractionRow, 'id' | 'chat_id' | 'agent_id' | 'created_at'>;
  readonly call: Call;
  /** The client has heard of the records up to this one; 0: of none. */
  readonly after: number;
  /** False for requests that are settled, although no record says so yet. */
  readonly isOpen: (request: OpenRequest) => boolean;
  /** The `requestState` of a result that asks, after this record. */
  readonly stateAfter: (seq: number) => string;
}

/**
 * An interaction as the call of a tool: progress while it runs, a form for each request of its
 * user, and its answer as the result. The call ends with the interaction or, where results have the
 * forms, when nothing goes on before a request is settled.
 */
export class CallProjection implements StreamedProjection {
  private readonly work = new OpenWork();
  /** Forms of the open requests, by the id of the request. */
  private readonly forms = new Map<string, Form>();
  private answer = '';
  /** The last line of progress. */
  private line: string | undefined;
  private failure: { readonly code: string; readonly message: string } | undefined;
  private seq = 0;
  private sent: number;
  private ended: object | undefined;

  constructor(private readonly options: CallProjectionOptions) {
    this.sent = options.after;
  }

  get isDone(): boolean {
    return this.ended !== undefined;
  }

  /** The result, once it is done. */
  get result(): object | undefined {
    return this.ended;
  }

  /** An id to go on with, should the client be cut off before anything else arrives. */
  begin(): readonly StreamFrame[] {
    return [{ data: '', id: this.eventId }];
  }

  take({ event }: FollowedEvent): readonly StreamFrame[] {
    if (this.isDone) return [];
    this.work.take(event);
    if (!('seq' in event)) return [];
    this.seq = event.seq;
    const messages = this.messagesOf(event);
    if (event.type === 'INTERACTION_COMPLETE') return this.frames(this.complete(event.status));
    const isHeard = event.seq <= this.options.after;
    if (event.seq < this.options.after) return [];
    return this.frames([...(isHeard ? [] : messages), ...this.askInResult()]);
  }

  fail({ code, message }: AppError): readonly StreamFrame[] {
    return this.frames([this.end(this.failed(code, message))]);
  }

  /** The last line once more: clients take a call without progress for one that hangs. */
  beat(now: Date): StreamFrame | undefined {
    const { line, isDone } = this;
    if (line === undefined || isDone) return undefined;
    const { created_at } = this.options.row;
    const seconds = Math.max(now.getTime() - Date.parse(created_at), 0) / 1_000;
    this.sent = Math.max(this.seq, this.sent);
    return this.frame(this.toProgress(this.sent + seconds / (seconds + 1), line));
  }

  private messagesOf(event: StreamEvent & { readonly seq: number }): readonly object[] {
    const isRoot = event.agent_id === this.options.row.agent_id;
    if (event.type === 'ANSWER' && isRoot) this.answer = event.content;
    if (event.type === 'ERROR')
      this.failure = { code: event.code, message: `The agent failed: ${event.message}` };
    if (event.type === 'CANCELLED')
      this.failure = { code: 'cancelled', message: `It was cancelled: ${event.reason}` };
    return [...this.progress(event), ...this.ask(event)];
  }

  private progress(event: StreamEvent & { readonly seq: number }): readonly object[] {
    if (this.options.call.progress === undefined) return [];
    const line = describeProgress(event);
    if (line === undefined) return [];
    this.line = line;
    return [this.toProgress(event.seq, line)];
  }

  /**
   * Numbers rise, on each process: they are those of records, and of heartbeats after a record
   * fractions that grow with the age of the interaction.
   */
  private toProgress(progress: number, message: string): object {
    const params = { progressToken: this.options.call.progress, progress, message };
    return { jsonrpc: '2.0', method: 'notifications/progress', params };
  }

  /** Forms in the stream; one that was settled elsewhere is closed. */
  private ask(event: StreamEvent): readonly object[] {
    const { type } = event;
    if (type === 'APPROVAL_REQUIRED') return this.open(event.approval_id, toForm(event));
    if (type === 'INPUT_REQUIRED') return this.open(event.request_id, toForm(event));
    if (type === 'APPROVED' || type === 'REJECTED') return this.close(event.approval_id);
    if (type === 'INPUT_RECEIVED') return this.close(event.request_id);
    return [];
  }

  private open(id: string, form: Form): readonly object[] {
    this.forms.set(id, form);
    if (this.options.call.asking !== 'during') return [];
    const asking = { id: this.formId(id), method: 'elicitation/create', params: form };
    return [{ jsonrpc: '2.0', ...asking }];
  }

  private close(id: string): readonly object[] {
    this.forms.delete(id);
    if (this.options.call.asking !== 'during') return [];
    const params = { requestId: this.formId(id), reason: 'It was decided.' };
    return [{ jsonrpc: '2.0', method: 'notifications/cancelled', params }];
  }

  private formId(request: string): string {
    return formatFormId(this.options.row.id, request);
  }

  private askInResult(): readonly object[] {
    const { call, isOpen, stateAfter } = this.options;
    if (call.asking !== 'in_results') return [];
    const asked = this.work.blockedBy(isOpen).flatMap(({ id }) => {
      const params = this.forms.get(id);
      return params ? [[id, { method: 'elicitation/create', params }] as const] : [];
    });
    if (asked.length === 0) return [];
    const inputRequests = Object.fromEntries(asked);
    const requestState = stateAfter(this.seq);
    return [this.end(askingResult(inputRequests, requestState, this.names))];
  }

  private complete(status: FinalStatus): readonly object[] {
    if (status === 'COMPLETED') return [this.end(this.answered())];
    const { code, message } = this.failure ?? { code: 'failed', message: 'The agent failed.' };
    return [this.end(this.failed(code, message))];
  }

  private answered(): object {
    const structuredContent = { answer: this.answer, ...this.names };
    const content = [{ type: 'text', text: this.answer }];
    return { ...COMPLETE, content, structuredContent };
  }

  private failed(code: string, text: string): object {
    return failedCall(text, { ...this.names, code });
  }

  private get names(): object {
    const { id: interaction_id, chat_id } = this.options.row;
    return { chat_id, interaction_id };
  }

  private end(result: object): object {
    this.ended = result;
    return toResponse(this.options.call.id, result);
  }

  /** A client that was cut off between them gets all messages of the record again. */
  private frames(messages: readonly object[]): readonly StreamFrame[] {
    return messages.map((message, at) => {
      if (at === messages.length - 1) this.sent = Math.max(this.seq, this.sent);
      return this.frame(message);
    });
  }

  private frame(message: object): StreamFrame {
    return { type: 'message', id: this.eventId, data: JSON.stringify(message) };
  }

  private get eventId(): string {
    const { row, call } = this.options;
    return formatEventId({ interaction_id: row.id, seq: this.sent }, call);
  }
}
