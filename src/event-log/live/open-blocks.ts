import type { Delta } from '../../protocol/events.js';
import { closedBlocks } from './block-of.js';
import type { FrameItem, OpenBlock } from './live-bus.js';

interface GrowingBlock extends OpenBlock {
  text: string;
}

/** The blocks of a run that are still being generated: a fold over its frames. */
export class OpenBlocks {
  private readonly blocks = new Map<string, GrowingBlock>();

  apply(item: FrameItem): void {
    if (item.kind === 'trace') return;
    if (item.kind === 'record') {
      if (item.record.body.type === 'RESUMED') this.blocks.clear();
      for (const id of closedBlocks(item.record.body)) this.blocks.delete(id);
      return;
    }
    const block = this.blocks.get(item.delta.block_id);
    if (block) grow(block, item.delta);
    else this.begin(item.agent_id, item.delta);
  }

  list(): readonly OpenBlock[] {
    return [...this.blocks.values()].map((block) => ({ ...block }));
  }

  private begin(agent_id: string, { offset, delta: text, ...delta }: Delta): void {
    if (offset === 0) this.blocks.set(delta.block_id, { agent_id, delta, text });
  }
}

/** Deltas that repeat or skip text are ignored: the text is always a prefix of the block. */
function grow(block: GrowingBlock, { offset, delta }: Delta): void {
  if (offset === block.text.length) block.text += delta;
}
