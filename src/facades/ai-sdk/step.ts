import type { Delta, RecordOf } from '../../protocol/events.js';
import type { AiSdkVersion, UiChunk } from './ui-chunk.js';

type Kind = 'text' | 'reasoning';
type Text = RecordOf<'THINKING'> | RecordOf<'MESSAGE'> | RecordOf<'ANSWER'>;

/**
 * The steps of the message and the texts in them: a step is one turn of the root agent, with the
 * calls that it made, or the calls that those have made.
 */
export class Step {
  private isOpen = false;
  private isTurnOver = false;
  /** True for a step of calls that agents and tools below the root have made. */
  private isNested = false;
  /** True if the step has parts that a retry keeps. */
  private hasOthers = false;
  private readonly open = new Map<string, Kind>();
  private readonly callIds = new Set<string>();

  constructor(private readonly version: AiSdkVersion) {}

  /** Before a part of the root: a new step if its last turn is over. */
  begin(): UiChunk[] {
    const chunks: UiChunk[] = this.isTurnOver && this.open.size === 0 ? this.end() : [];
    if (this.isOpen) return chunks;
    this.isOpen = true;
    this.hasOthers = false;
    this.callIds.clear();
    return [...chunks, { type: 'start-step' }];
  }

  /**
   * Before a call of a child, or of a tool: not in the step of the call that made it, which goes on
   * as long. Clients send decisions by themselves only when nothing of the last step goes on.
   */
  beginNested(): UiChunk[] {
    if (this.isNested || this.open.size > 0) return [];
    const chunks = [...this.end(), ...this.begin()];
    this.isNested = true;
    this.isTurnOver = true;
    return chunks;
  }

  end(): UiChunk[] {
    const chunks: UiChunk[] = this.isOpen ? [{ type: 'finish-step' }] : [];
    this.isOpen = false;
    this.isTurnOver = false;
    this.isNested = false;
    return chunks;
  }

  /** The client has what was before, and its stream had ended. */
  continue(): void {
    this.end();
    this.open.clear();
  }

  turnEnds(): void {
    this.isTurnOver = true;
  }

  delta({ type, block_id: id, delta }: Delta): readonly UiChunk[] {
    const kind = type === 'THINKING_DELTA' ? 'reasoning' : 'text';
    return [...this.start(id, kind), { type: `${kind}-delta`, id, delta }];
  }

  close({ type, block_id: id, content }: Text): readonly UiChunk[] {
    const kind = type === 'THINKING' ? 'reasoning' : 'text';
    const isShown = this.open.has(id);
    if (!isShown && content === '') return [];
    const whole: UiChunk = { type: `${kind}-delta`, id, delta: content };
    const chunks = isShown ? [] : [...this.start(id, kind), whole];
    this.open.delete(id);
    this.hasOthers = true;
    return [...chunks, { type: `${kind}-end`, id }];
  }

  /** A part besides texts and calls. */
  add(chunk: UiChunk): readonly UiChunk[] {
    this.hasOthers = true;
    return [chunk];
  }

  addCall(id: string): void {
    this.hasOthers = true;
    this.callIds.add(id);
  }

  /** True if a frame with the input of this call changes the part that is there. */
  hasCall(id: string): boolean {
    return this.callIds.has(id);
  }

  /**
   * Texts that will never be completed. Clients that can't take back a step keep them, unfinished.
   */
  voidBlocks(ids: readonly string[]): UiChunk[] {
    const isShown = ids.some((id) => this.open.has(id));
    for (const id of ids) this.open.delete(id);
    const canReset = this.version > 6 && this.open.size === 0 && !this.hasOthers;
    return isShown && canReset ? [{ type: 'reset-step' }] : [];
  }

  voidAll(): UiChunk[] {
    return this.voidBlocks([...this.open.keys()]);
  }

  private start(id: string, kind: Kind): UiChunk[] {
    if (this.open.has(id)) return [];
    const chunks = this.begin();
    this.open.set(id, kind);
    return [...chunks, { type: `${kind}-start`, id }];
  }
}
