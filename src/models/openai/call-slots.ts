import { CallArguments, compactObject } from './call-arguments.js';
import type { CallDelta } from './chat-chunk.js';
import { argumentsText } from './chat-content.js';
import { KeptFields } from './kept-fields.js';

/** One tool call of a turn while it is received. */
export class CallSlot {
  id = '';
  name = '';
  readonly arguments = new CallArguments();
  readonly kept = new KeptFields();
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

export interface Assigned {
  readonly slot: CallSlot;
  /** The arguments that the delta adds. */
  readonly added: string;
}

/**
 * Assigns each delta of a turn to its tool call. Some servers omit the index, use index 0 for
 * several calls, repeat ids or names in every delta, send each call whole, or repeat a whole call
 * at the end. A new call begins with a name that can't belong to the previous call.
 */
export class CallSlots {
  readonly all: CallSlot[] = [];

  /** Undefined for a delta that has nothing of a call. */
  of(delta: CallDelta): Assigned | undefined {
    const added = argumentsText(delta.function?.arguments);
    const isNothing = !isText(delta.id) && !isText(delta.function?.name) && added === '';
    const known = this.find(delta) ?? this.withWhole(delta, added);
    if (!known) return isNothing ? undefined : { slot: this.open(delta), added };
    if (isRepeated(known, delta)) {
      const rest = restOf(known.arguments, added);
      if (rest !== undefined) return { slot: known, added: rest };
    }
    return { slot: opensAnother(known, delta) ? this.open(delta) : known, added };
  }

  private find({ index, id }: CallDelta): CallSlot | undefined {
    if (typeof index === 'number') return this.all.findLast((slot) => slot.server_index === index);
    if (isText(id)) return this.all.findLast((slot) => slot.id === id) ?? this.all.at(-1);
    return this.all.at(-1);
  }

  /** The whole call of this id that the delta repeats under another index. */
  private withWhole(delta: CallDelta, added: string): CallSlot | undefined {
    if (!isText(delta.id)) return undefined;
    return this.all.find((slot) => isRepeated(slot, delta) && restOf(slot.arguments, added) === '');
  }

  private open({ index }: CallDelta): CallSlot {
    const slot = new CallSlot(this.all.length, typeof index === 'number' ? index : undefined);
    this.all.push(slot);
    return slot;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** True if the delta names the call of the slot once more: by id, or by index where it has none. */
function isRepeated(slot: CallSlot, { id, index, function: named }: CallDelta): boolean {
  if (!isText(named?.name) || named.name !== slot.name) return false;
  if (isText(id) || slot.id !== '') return id === slot.id;
  return typeof index === 'number' && index === slot.server_index;
}

/**
 * What `whole` adds to the arguments that it repeats: nothing, or the rest of arguments that were
 * not whole yet. Undefined if it does not repeat them.
 */
function restOf(known: CallArguments, added: string): string | undefined {
  const whole = known.isBlank ? undefined : compactObject(added);
  if (whole === undefined) return undefined;
  // Text is compared, not values: numbers that differ beyond the precision of a float differ.
  if (known.compact !== undefined) return known.compact === whole ? '' : undefined;
  const isLonger = added.length > known.text.length;
  return isLonger && added.startsWith(known.text) ? added.slice(known.text.length) : undefined;
}

function opensAnother(slot: CallSlot, delta: CallDelta): boolean {
  const name = delta.function?.name;
  if (!isText(name) || slot.name === '') return false;
  if (name !== slot.name || isOtherId(slot.id, delta.id)) return true;
  return Boolean(delta.function?.arguments) && slot.arguments.compact !== undefined;
}

function isOtherId(known: string, id: unknown): boolean {
  return isText(id) && known !== '' && id !== known;
}
