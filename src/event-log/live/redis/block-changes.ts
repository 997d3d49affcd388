import { closedBlocks } from '../block-of.js';
import type { FrameItem, OpenBlock } from '../live-bus.js';
import type { BlockChange } from './live-scripts.js';

/** What a frame's items do to the open blocks of their run, as `OpenBlocks` has it. */
export function changesOf(items: readonly FrameItem[]): BlockChange[] {
  return items.flatMap((item): BlockChange[] => {
    switch (item.kind) {
      case 'trace':
        return [];
      case 'record': {
        const closed = closedBlocks(item.record.body).map((id): BlockChange => ['close', id]);
        return item.record.body.type === 'RESUMED' ? [['clear'], ...closed] : closed;
      }
      case 'delta': {
        const { offset, delta: text, ...delta } = item.delta;
        return [grow({ agent_id: item.agent_id, delta, text }, offset)];
      }
    }
  });
}

/** What makes of nothing the blocks that are open. */
export function changesTo(blocks: readonly OpenBlock[]): BlockChange[] {
  return [['clear'], ...blocks.map((block) => grow(block, 0))];
}

function grow({ agent_id, delta, text }: OpenBlock, offset: number): BlockChange {
  const about = JSON.stringify({ agent_id, delta });
  return ['grow', delta.block_id, offset, text.length, escape(text), about];
}

/** As in a JSON string, so that what is no valid Unicode survives, and pieces can be put together. */
function escape(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
