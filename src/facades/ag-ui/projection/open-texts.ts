import type { Delta, RecordOf } from '../../../protocol/events.js';
import type { AgUiEvent, Attributed } from '../ag-ui-event.js';

type Kind = 'text' | 'reasoning';
type Text = RecordOf<'THINKING'> | RecordOf<'MESSAGE'> | RecordOf<'ANSWER'>;

interface OpenText {
  readonly id: string;
  readonly kind: Kind;
  readonly agent: string;
  readonly tag: Attributed;
}

/** The agent that writes, and its attribution. */
export interface Author {
  readonly agent: string;
  readonly tag: Attributed;
}

/** Texts and thoughts that are being written, each a message: `<interaction>.<block>`. */
export class OpenTexts {
  private readonly open = new Map<string, OpenText>();

  constructor(private readonly idOf: (block: string) => string) {}

  delta({ type, block_id, delta }: Delta, author: Author): readonly AgUiEvent[] {
    const kind = type === 'THINKING_DELTA' ? 'reasoning' : 'text';
    const begun = this.open.has(block_id) ? [] : this.begin(block_id, kind, author);
    return [...begun, ...content(this.open.get(block_id)!, delta)];
  }

  /** Sends the text if no delta has. */
  close({ type, block_id, content: text }: Text, author: Author): readonly AgUiEvent[] {
    const kind = type === 'THINKING' ? 'reasoning' : 'text';
    if (this.open.has(block_id)) return this.end([block_id]);
    if (text === '') return [];
    const begun = this.begin(block_id, kind, author);
    return [...begun, ...content(this.open.get(block_id)!, text), ...this.end([block_id])];
  }

  /** Ids of the open blocks of one agent; without `agent`, of all. */
  blocks(agent?: string): readonly string[] {
    const all = [...this.open];
    return all.flatMap(([block, text]) => (!agent || text.agent === agent ? block : []));
  }

  end(blocks: readonly string[]): readonly AgUiEvent[] {
    return blocks.flatMap((block) => {
      const text = this.open.get(block);
      this.open.delete(block);
      return text ? ending(text) : [];
    });
  }

  /** Opens what is being written once more, for a client that has not seen it begin. */
  reopen(): readonly AgUiEvent[] {
    return [...this.open.values()].flatMap(beginning);
  }

  private begin(block: string, kind: Kind, { agent, tag }: Author): readonly AgUiEvent[] {
    const text = { id: this.idOf(block), kind, agent, tag };
    this.open.set(block, text);
    return beginning(text);
  }
}

function beginning({ id: messageId, kind, tag }: OpenText): readonly AgUiEvent[] {
  if (kind === 'text')
    return [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', ...tag }];
  return [
    { type: 'REASONING_START', messageId, ...tag },
    { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning', ...tag },
  ];
}

function content({ id: messageId, kind, tag }: OpenText, delta: string): readonly AgUiEvent[] {
  const type = kind === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT';
  return [{ type, messageId, delta, ...tag }];
}

function ending({ id: messageId, kind, tag }: OpenText): readonly AgUiEvent[] {
  if (kind === 'text') return [{ type: 'TEXT_MESSAGE_END', messageId, ...tag }];
  return [
    { type: 'REASONING_MESSAGE_END', messageId, ...tag },
    { type: 'REASONING_END', messageId, ...tag },
  ];
}
