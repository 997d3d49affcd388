import type { CallDelta } from './chat-chunk.js';
import { GrowingText } from '../wire/growing-text.js';

/** One tool call of a turn while it comes in. */
export class CallSlot {
  id = '';
  name = '';
  readonly arguments = new GrowingText();
  started = false;

  constructor(
    /** Its place among the turn's calls, from 0: ours, as servers use an index twice or none. */
    readonly index: number,
    /** What the server calls its place, if anything. */
    readonly server_index: number | undefined,
  ) {}
}

/**
 * Finds out to which call of a turn a delta belongs. Servers leave out the index, use index 0 for several calls, repeat ids or names
 * in every delta, or send each call whole: what opens a call is a name that the call before can't have.
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
