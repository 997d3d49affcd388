import type { CallDelta } from './chat-chunk.js';
import { GrowingText } from '../answer/growing-text.js';

/** One tool call of a turn while it is received. */
export class CallSlot {
  id = '';
  name = '';
  readonly arguments = new GrowingText();
  started = false;

  constructor(
    /**
     * Index among the turn's calls, from 0. Assigned here, because servers reuse or omit their
     * index.
     */
    readonly index: number,
    /** The server's index of the call, if it sends one. */
    readonly server_index: number | undefined,
  ) {}
}

/**
 * Assigns each delta of a turn to its tool call. Some servers omit the index, use index 0 for
 * several calls, repeat ids or names in every delta, or send each call whole. A new call begins
 * with a name that can't belong to the previous call.
 */
export class CallSlots {
  readonly all: CallSlot[] = [];

  of(delta: CallDelta): CallSlot {
    const known = this.find(delta);
    return known && !opensAnother(known, delta) ? known : this.open(delta);
  }

  private find({ index, id }: CallDelta): CallSlot | undefined {
    if (typeof index === 'number') return this.all.findLast((slot) => slot.server_index === index);
    if (typeof id === 'string' && id !== '')
      return this.all.findLast((slot) => slot.id === id) ?? this.all.at(-1);
    return this.all.at(-1);
  }

  private open({ index }: CallDelta): CallSlot {
    const slot = new CallSlot(this.all.length, typeof index === 'number' ? index : undefined);
    this.all.push(slot);
    return slot;
  }
}

function opensAnother(slot: CallSlot, delta: CallDelta): boolean {
  const name = delta.function?.name;
  if (typeof name !== 'string' || name === '' || slot.name === '') return false;
  if (name !== slot.name || isOtherId(slot.id, delta.id)) return true;
  return Boolean(delta.function?.arguments) && isWhole(slot.arguments.text);
}

function isOtherId(known: string, id: unknown): boolean {
  return typeof id === 'string' && id !== '' && known !== '' && id !== known;
}

function isWhole(json: string): boolean {
  if (!json.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
