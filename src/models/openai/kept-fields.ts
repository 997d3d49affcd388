import { exactJson } from '../../kernel/json/exact-json.js';
import { isObject } from '../../kernel/json/json.js';
import type { AssistantMessage } from '../../protocol/message.js';
import { fromRecorded, toRecorded } from '../answer/opaque-json.js';
import { placeIn } from '../answer/turn-fold.js';

/** This provider's member of `provider_data`. */
const MEMBER = 'openai';

/** Fields of a message that servers want back: thoughts in any form, and their signatures. */
const OF_MESSAGE = /^(?:reasoning|thinking|thought|signature|extra_content)/;
/** Their size is counted as that of thoughts. */
const THOUGHTS: ReadonlySet<string> = new Set(['reasoning_content', 'reasoning']);
const MAX_FIELDS = 16;
const OF_CALL: ReadonlySet<string> = new Set(
  ['index', 'id', 'type', 'function', 'name', 'arguments'], // the last two are of its function
);
/** Entries of one index of a streamed list are one entry; these texts of it grow. */
const GROWING: ReadonlySet<string> = new Set(['text', 'summary', 'data']);

type Fields = Readonly<Record<string, unknown>>;

/** The model and the endpoint that wrote a message, and the only ones that get its fields back. */
export interface Author {
  readonly model: string;
  /** A digest of the endpoint's URL. */
  readonly endpoint: string;
}

export function isKeptField(name: string): boolean {
  return OF_MESSAGE.test(name);
}

/** Fields of a message, or of a call, that are opaque here, while they are received. */
export class KeptFields {
  private readonly fields: Record<string, unknown> = {};
  private names = 0;

  /** Adds the fields of one delta of a message; returns their size in characters. */
  addMessage(delta: object): number {
    let size = 0;
    for (const name in delta) if (isKeptField(name)) size += this.add(name, delta);
    return size;
  }

  /** Adds the fields of one delta of a call; returns their size in characters. */
  addCall(delta: object): number {
    let size = 0;
    for (const name in delta) if (!OF_CALL.has(name)) size += this.add(name, delta);
    return size;
  }

  /** Adds what a whole message, or a whole call, has besides; returns its size in characters. */
  complete(whole: object, of: 'message' | 'call'): number {
    const missing = Object.entries(whole).flatMap(([name, value]) => {
      const rest = unsaid(this.fields[name], value);
      return rest === undefined ? [] : [[name, rest] as const];
    });
    const fields = Object.fromEntries(missing);
    return of === 'message' ? this.addMessage(fields) : this.addCall(fields);
  }

  /** Undefined if there are none. */
  get all(): Fields | undefined {
    const { reasoning_details: details, reasoning: _, ...others } = this.fields;
    const all = details === undefined ? this.fields : { ...others, reasoning_details: details };
    return Object.keys(all).length > 0 ? all : undefined;
  }

  private add(name: string, delta: object): number {
    const value = (delta as Fields)[name];
    if (!hasValue(value) || !this.admits(name)) return 0;
    const size = typeof value === 'string' ? value.length : exactJson(value).length;
    this.fields[name] = grown(this.fields[name], value);
    return THOUGHTS.has(name) ? 0 : size;
  }

  private admits(name: string): boolean {
    return Object.hasOwn(this.fields, name) || ++this.names <= MAX_FIELDS;
  }
}

function hasValue(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '';
}

/** The rest of a whole value after the known part; undefined if it is another value. */
function unsaid(known: unknown, whole: unknown): unknown {
  if (known === undefined) return whole;
  if (typeof known !== 'string' || typeof whole !== 'string') return undefined;
  const isLonger = whole.length >= known.length; // or else all of the known part would be copied
  return isLonger && whole.startsWith(known) ? whole.slice(known.length) : undefined;
}

function grown(known: unknown, value: unknown): unknown {
  if (typeof known === 'string' && typeof value === 'string') return known + value;
  if (Array.isArray(known) && Array.isArray(value)) return withEntries(known, value);
  if (isObject(known) && isObject(value)) return extended(known, value);
  return Array.isArray(value) ? withEntries([], value) : value;
}

/** In place: a copy for each of many deltas would take quadratic time. */
function extended(known: Record<string, unknown>, more: Fields): object {
  for (const name of Object.keys(more)) if (name !== '__proto__') known[name] = more[name];
  return known;
}

/** In place, as `extended`. */
function withEntries(list: unknown[], entries: readonly unknown[]): unknown[] {
  for (const entry of entries) {
    const last = list.at(-1);
    if (isObject(entry) && isObject(last) && isSamePlace(entry, last)) extendEntry(last, entry);
    else list.push(entry);
  }
  return list;
}

function isSamePlace({ index }: Fields, last: Fields): boolean {
  if (index === undefined) return false;
  return index === last.index || (placeIn(index) ?? NaN) === placeIn(last.index);
}

function extendEntry(entry: Record<string, unknown>, more: Fields): void {
  for (const [name, value] of Object.entries(more)) {
    if (!hasValue(value) || name === '__proto__') continue;
    const before = entry[name];
    const grows = GROWING.has(name) && typeof before === 'string' && typeof value === 'string';
    entry[name] = grows ? before + value : value;
  }
}

/** The fields of a turn that its message keeps, so that they can be sent back. */
export function keepFields(
  author: Author,
  message: Fields | undefined,
  calls: readonly (Fields | undefined)[],
): AssistantMessage['provider_data'] {
  if (!message && calls.every((fields) => !fields)) return undefined;
  const kept = { ...author, ...(message && { message: toRecorded(message) }) };
  return { [MEMBER]: { ...kept, calls: calls.map((fields) => toRecorded(fields ?? null)) } };
}

export interface Restored {
  readonly message: Fields;
  readonly calls: readonly Fields[];
}

const NOTHING: Restored = { message: {}, calls: [] };

/** The fields that a message has for this author. A log is untrusted input, so they are checked. */
export function restoreFields(message: AssistantMessage, author: Author): Restored {
  const kept = message.provider_data?.[MEMBER];
  if (!isObject(kept) || kept.model !== author.model || kept.endpoint !== author.endpoint)
    return NOTHING;
  const ofMessage = fromRecorded(kept.message);
  const fields = isObject(ofMessage) ? ofMessage : {};
  const calls = Array.isArray(kept.calls) ? kept.calls.map(fromRecorded) : [];
  const isAligned = calls.length === (message.tool_calls?.length ?? 0);
  return {
    message: pick(fields, isKeptField),
    calls: isAligned
      ? calls.map((call) => pick(isObject(call) ? call : {}, (name) => !OF_CALL.has(name)))
      : [],
  };
}

function pick(fields: Fields, isKept: (name: string) => boolean): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => isKept(name)));
}
