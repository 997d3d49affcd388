import type { GuardedText, GuardedOutput } from '../../guardrails/guarded-output.js';
import type { BlockOptions } from '../../event-log/append/block-writer.js';
import type { OutputAbout } from '../../guardrails/guardrail.js';
import { BlockWriter } from '../../event-log/append/block-writer.js';
import type { Entry } from '../../event-log/append/run-log.js';
import { guardedAgent, remarkEntries } from '../guarding/guard-output.js';
import type { AgentScope } from '../scope/agent-scope.js';

/** Characters of a usual delta, which is not cut into slices. */
const SLICE_THRESHOLD = 10_000;

/**
 * Block of a turn behind its guardrails: readers, the log and later requests to the model get the
 * text that these pass.
 */
export class GuardedBlock {
  private written = '';
  /** Text that readers do not see before the record. */
  private filled = '';

  constructor(
    private readonly writer: BlockWriter,
    private readonly guard: GuardedText,
  ) {}

  get id(): string {
    return this.writer.id;
  }

  get text(): string {
    return this.writer.text + this.filled;
  }

  /** True once the model has written something. */
  get isBegun(): boolean {
    return this.written !== '';
  }

  /** True once readers have seen a part of it. */
  get isShown(): boolean {
    return this.writer.text !== '';
  }

  /** True if a guardrail has changed the text; known once the block has ended. */
  get isChanged(): boolean {
    return this.text !== this.written;
  }

  /** @throws Tripwire */
  async push(text: string): Promise<void> {
    this.written += text;
    const isShort = text.length <= SLICE_THRESHOLD;
    this.show(isShort ? this.guard.push(text) : await this.guard.pushSliced(text));
  }

  /** Adds the whole text at once. */
  async fill(text: string): Promise<void> {
    this.written = text;
    this.filled = await this.guard.pushSliced(text);
  }

  /** Ends the block: shows the text that was held back. */
  async end(): Promise<void> {
    const rest = await this.guard.endSliced();
    if (this.filled !== '') this.filled += rest;
    else this.show(rest);
  }

  private show(text: string): void {
    if (text !== '') this.writer.push(text);
  }
}

export type BlockType = 'TEXT_DELTA' | 'THINKING_DELTA' | 'TOOL_INPUT_DELTA';

const PARTS = {
  TEXT_DELTA: 'text',
  THINKING_DELTA: 'thinking',
  TOOL_INPUT_DELTA: 'tool_input',
} as const;

/** The guardrails of one attempt at a model turn. */
export class TurnGuard {
  private output: GuardedOutput | undefined;
  private readonly about: OutputAbout;

  constructor(
    private readonly scope: AgentScope,
    { agent_id: id, agent_type: type }: { readonly agent_id: string; readonly agent_type: string },
  ) {
    const { id: interaction_id, chat_id } = scope.run.interaction;
    this.about = guardedAgent({ id, type, interaction_id, chat_id });
  }

  /** @throws Tripwire */
  block(type: BlockType, options: Omit<BlockOptions, 'type'>): GuardedBlock {
    const guard = this.open().begin(PARTS[type]);
    return new GuardedBlock(new BlockWriter(this.scope.run.log, { type, ...options }), guard);
  }

  /**
   * The name or the id of a call, or all that may be shown of it.
   * @throws Tripwire
   */
  callText(text: string): string {
    const guard = this.open().begin('tool_call');
    return guard.push(text) + guard.end();
  }

  /** The part of a trace that readers may see. @throws Tripwire */
  trace(detail: unknown): unknown {
    if (typeof detail !== 'string') return detail;
    const guard = this.open().begin('tool_output');
    return guard.push(detail) + guard.end();
  }

  /** @throws Tripwire if the text as a whole must not be used */
  async check(text: string): Promise<void> {
    if (text === '') return;
    const { signal, run } = this.scope;
    await run.services.guardrails.checkOutput(text, this.about, signal);
  }

  remarks(): Entry[] {
    return remarkEntries(this.about.agent_id, this.output?.remarks() ?? []);
  }

  private open(): GuardedOutput {
    return (this.output ??= this.scope.run.services.guardrails.open(this.about));
  }
}
