import type { Delta } from '../../protocol/events.js';
import type { EventOf } from './ag-ui-event.js';
import { OpenTexts } from './projection/open-texts.js';
import type { Author } from './projection/open-texts.js';
import type { RunOutput } from './projection/run-output.js';
import { Steps } from './projection/steps.js';

type Text = EventOf<'THINKING' | 'MESSAGE' | 'ANSWER'>;

/** The texts and calls of agents, turn by turn. */
export class Turns {
  readonly texts = new OpenTexts((block) => this.messageId(block));
  readonly steps = new Steps();

  constructor(
    private readonly output: RunOutput,
    private readonly interaction_id: string,
  ) {}

  delta(event: Delta, author: Author): void {
    this.output.emit(this.steps.begin(author));
    this.output.emit(this.texts.delta(event, author));
    this.joinTurn(event, author);
  }

  say(event: Text, author: Author): void {
    this.output.emit(this.steps.begin(author));
    this.output.emit(this.texts.close(event, author));
    if (event.content !== '') this.joinTurn(event, author);
    if (event.type !== 'ANSWER' || event.replaces === undefined) return;
    this.output.remove(this.messageId(event.replaces));
  }

  /** The first text of a turn is the message that its calls belong to. */
  private joinTurn({ type, block_id }: Delta | Text, { agent }: Author): void {
    if (!type.startsWith('THINKING')) this.steps.messageOf(agent, this.messageId(block_id));
  }

  call(event: EventOf<'TOOL_CALL'>, { agent, tag }: Author): void {
    const { id: toolCallId, block_id, tool_name: toolCallName, tool_input: delta } = event;
    const { parent_tool_call_id } = event;
    const own = this.messageId(block_id);
    const isNested = parent_tool_call_id !== undefined;
    if (!isNested) this.output.emit(this.steps.begin({ agent, tag }));
    const parentMessageId = isNested ? own : this.steps.messageOf(agent, own);
    const metadata = isNested && { metadata: { parley: { parent_tool_call_id } } };
    const call = { toolCallId, toolCallName, parentMessageId };
    this.output.emit([
      { type: 'TOOL_CALL_START', ...call, ...tag, ...metadata },
      { type: 'TOOL_CALL_ARGS', toolCallId, delta, ...tag },
      { type: 'TOOL_CALL_END', toolCallId, ...tag },
    ]);
  }

  /** A client that ran the call has its result. */
  result(event: EventOf<'TOOL_RESULT'>, { tag }: Author): void {
    const { id: toolCallId, tool_name, tool_output: content, is_error } = event;
    if (this.output.hasResult(toolCallId, tool_name)) return;
    const messageId = `${this.messageId(toolCallId)}.result`;
    const result = { messageId, toolCallId, content, role: 'tool' } as const;
    const metadata = is_error && { metadata: { parley: { is_error } } };
    this.output.emit([{ type: 'TOOL_CALL_RESULT', ...result, ...tag, ...metadata }]);
  }

  /** Takes back texts that are not complete and will not be. */
  voidTexts(blocks: readonly string[]): void {
    const open = new Set(this.texts.blocks());
    for (const block of blocks) {
      if (!open.has(block)) continue;
      this.output.emit(this.texts.end([block]));
      this.output.remove(this.messageId(block));
      this.steps.forget(this.messageId(block));
    }
  }

  /** Ends the turns of an agent, or all. */
  end(agent?: string): void {
    this.output.emit(agent === undefined ? this.steps.endAll() : this.steps.end(agent));
  }

  private messageId(part: string): string {
    return `${this.interaction_id}.${part}`;
  }
}
