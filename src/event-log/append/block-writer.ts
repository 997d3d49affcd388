import type { DeltaType } from '../../protocol/events.js';
import type { RunLog } from './run-log.js';

export interface BlockOptions {
  readonly agent_id: string;
  readonly type: DeltaType;
  readonly tool_call_id?: string;
  /** Not published. */
  readonly silent?: boolean;
}

/** A block while it is generated: publishes deltas and collects the text. */
export class BlockWriter {
  readonly id: string;
  private sent = '';
  /** The first half of a surrogate pair, kept until its second half arrives. */
  private half = '';

  constructor(
    private readonly log: RunLog,
    private readonly options: BlockOptions,
  ) {
    this.id = log.newBlockId();
  }

  get text(): string {
    return this.sent + this.half;
  }

  push(text: string): void {
    const whole = this.half + text;
    const cut = endsInHalfPair(whole) ? whole.length - 1 : whole.length;
    this.half = whole.slice(cut);
    if (cut > 0) this.send(cut === whole.length ? whole : whole.slice(0, cut));
  }

  private send(delta: string): void {
    const { agent_id, type, tool_call_id, silent } = this.options;
    const offset = this.sent.length;
    if (!silent) this.log.delta(agent_id, { type, block_id: this.id, offset, delta, tool_call_id });
    this.sent += delta;
  }
}

function endsInHalfPair(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
