import { areEmpty, CallArguments, canonicalObject, SentArguments } from './call-arguments.js';
import type { CallDelta } from './chat-chunk.js';
import { argumentsText } from './chat-content.js';
import { KeptFields } from './kept-fields.js';

/** A tool call of a turn while it is received. */
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

  /** Adds a part of the name, or the name once more. */
  addName(part: string): void {
    this.name = part.startsWith(this.name) ? part : this.name + part.trim();
  }
}

export interface Assigned {
  readonly slot: CallSlot;
  /** The arguments that the delta adds. */
  readonly added: string;
  /** True if the delta has the call once more. */
  readonly repeats: boolean;
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
    const sent = new SentArguments(added);
    const isNothing = !isText(delta.id) && !isText(delta.function?.name) && added === '';
    const known = this.find(delta) ?? this.withWhole(delta, sent);
    if (!known) return isNothing ? undefined : { ...this.open(delta), added };
    const rest = unsaid(known, delta, sent);
    if (rest !== undefined) return { slot: known, added: rest, repeats: true };
    if (opensAnother(known, delta)) return { ...this.open(delta), added };
    return { slot: known, added, repeats: false };
  }

  /**
   * The part of a whole message's call that was not received; undefined if none is missing.
   * @param at its place in the message
   */
  ofMessage(call: CallDelta, at: number): CallDelta | undefined {
    const known = this.all.find(({ id }) => isSameId(id, call.id)) ?? this.all[at];
    if (!known || isOtherCall(known, call)) return { index: at, ...call };
    if (known.arguments.canonical !== undefined) return undefined;
    return { ...call, index: known.server_index, id: known.id || call.id };
  }

  private find({ index, id }: CallDelta): CallSlot | undefined {
    if (index !== undefined) return this.all.findLast((slot) => slot.server_index === index);
    if (isText(id)) return this.all.findLast((slot) => isSameId(slot.id, id)) ?? this.all.at(-1);
    return this.all.at(-1);
  }

  /** The whole call of this id that the delta repeats under another index. */
  private withWhole(delta: CallDelta, sent: SentArguments): CallSlot | undefined {
    if (!isText(delta.id)) return undefined;
    return this.all.find((slot) => unsaid(slot, delta, sent) === '');
  }

  private open({ index }: CallDelta): Pick<Assigned, 'slot' | 'repeats'> {
    const slot = new CallSlot(this.all.length, typeof index === 'number' ? index : undefined);
    this.all.push(slot);
    return { slot, repeats: false };
  }
}

/** True if a whole call at the place of a known one has neither its id nor its arguments. */
function isOtherCall({ id, arguments: known }: CallSlot, call: CallDelta): boolean {
  if (id === '' || !isText(call.id) || isSameId(id, call.id)) return false;
  const whole = argumentsText(call.function?.arguments);
  return known.canonical === undefined
    ? !whole.startsWith(known.text)
    : known.canonical !== canonicalObject(whole);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Some gateways change the case of ids. */
function isSameId(known: string, id: unknown): boolean {
  return isText(id) && id.toLowerCase() === known.toLowerCase();
}

/** The new part of the arguments if a delta has the call once more; undefined if it has not. */
function unsaid(slot: CallSlot, delta: CallDelta, sent: SentArguments): string | undefined {
  const isWhole = slot.arguments.canonical !== undefined;
  const isNamed = isText(delta.function?.name);
  if (isWhole && !isNamed && areEmpty(sent.text)) return '';
  return (isWhole || isNamed) && isRepeated(slot, delta) ? restOf(slot.arguments, sent) : undefined;
}

/** True if the delta may name the call of the slot once more: by its id, or else by its index. */
function isRepeated(slot: CallSlot, { id, index, function: named }: CallDelta): boolean {
  if (isText(named?.name) && named.name !== slot.name) return false;
  if (isText(id) && slot.id !== '') return isSameId(slot.id, id);
  if (typeof index === 'number' && index === slot.server_index) return true;
  return (
    isText(id) !== (slot.id !== '') &&
    !(typeof index === 'number' && slot.server_index !== undefined)
  );
}

/**
 * The text by which `sent` extends the arguments that it repeats; empty if they were whole.
 * Undefined if it does not repeat them.
 */
function restOf(known: CallArguments, sent: SentArguments): string | undefined {
  if (known.isBlank || sent.canonical === undefined) return undefined;
  if (known.canonical !== undefined) return known.canonical === sent.canonical ? '' : undefined;
  const text = sent.decoded;
  const isLonger = text.length > known.text.length;
  return isLonger && text.startsWith(known.text) ? text.slice(known.text.length) : undefined;
}

/** Some servers send a name in parts, or each time the whole so far, before the arguments. */
function continuesName(slot: CallSlot, { id, index }: CallDelta): boolean {
  const isAtSlot = index !== undefined && index === slot.server_index;
  return isAtSlot && slot.arguments.text === '' && (!isText(id) || isSameId(slot.id, id));
}

function opensAnother(slot: CallSlot, delta: CallDelta): boolean {
  const name = delta.function?.name;
  if (!isText(name) || slot.name === '' || continuesName(slot, delta)) return false;
  const isOther = isText(delta.id) && slot.id !== '' && !isSameId(slot.id, delta.id);
  if (name !== slot.name || isOther) return true;
  return Boolean(delta.function?.arguments) && slot.arguments.canonical !== undefined;
}
