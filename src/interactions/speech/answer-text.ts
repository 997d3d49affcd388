import { SentenceSplitter } from '../../audio/speech/sentence-splitter.js';
import type { StreamEvent } from '../../event-log/follow/stream-event.js';
import type { InteractionStatus } from '../../protocol/interaction.js';

/** A text that is being written; `length`: UTF-16 code units that were read. */
interface OpenText {
  length: number;
  readonly splitter: SentenceSplitter;
}

const NONE: ReadonlySet<string> = new Set();

/** The texts of an interaction's root agent as sentences: a fold over its events. */
export class AnswerText {
  private readonly open = new Map<string, OpenText>();
  /** Undefined until it has ended. */
  status: InteractionStatus | undefined;

  /** @param replaced blocks that are left out */
  constructor(
    private readonly rootAgentId: string,
    private readonly replaced: ReadonlySet<string> = NONE,
  ) {}

  /** The sentences that the event completes. */
  take(event: StreamEvent): readonly string[] {
    if (event.type === 'INTERACTION_COMPLETE') this.status = event.status;
    if (event.type === 'RESUMED') this.open.clear();
    if (event.type === 'NOTICE') for (const id of event.void ?? []) this.open.delete(id);
    if (event.agent_id !== this.rootAgentId) return [];
    if (event.type === 'TEXT_DELTA') return this.read(event.block_id, event);
    if (event.type !== 'MESSAGE' && event.type !== 'ANSWER') return [];
    const { block_id, content } = event;
    const rest = this.read(block_id, { offset: 0, delta: content });
    const last = this.open.get(block_id)?.splitter.end() ?? [];
    this.open.delete(block_id);
    return [...rest, ...last];
  }

  private read(
    id: string,
    { offset, delta }: { readonly offset: number; readonly delta: string },
  ): readonly string[] {
    if (this.replaced.has(id)) return [];
    const text = this.open.get(id) ?? { length: 0, splitter: new SentenceSplitter() };
    this.open.set(id, text);
    const fresh = delta.slice(Math.max(0, text.length - offset));
    text.length += fresh.length;
    return text.splitter.add(fresh);
  }
}
