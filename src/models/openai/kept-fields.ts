import { isObject } from '../../kernel/json.js';
import type { AssistantMessage } from '../../protocol/message.js';

/** This provider's member of `provider_data`. */
const MEMBER = 'openai';

/** Fields of a message that servers want back: thoughts in any form, and their signatures. */
const OF_MESSAGE = /^(?:reasoning|thinking|thought|signature|extra_content)/;
/** Their size is counted as that of thoughts. */
const THOUGHTS: ReadonlySet<string> = new Set(['reasoning_content', 'reasoning']);
const MAX_FIELDS = 16;
const OF_CALL: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function']);
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

  /** Undefined if there are none. */
  get all(): Fields | undefined {
    const { reasoning_details: details, reasoning: _, ...others } = this.fields;
    const all = details === undefined ? this.fields : { ...others, reasoning_details: details };
    return Object.keys(all).length > 0 ? all : undefined;
  }

  private add(name: string, delta: object): number {
    const value = (delta as Fields)[name];
    if (!hasValue(value) || !this.admits(name)) return 0;
    this.fields[name] = grown(this.fields[name], value);
    if (THOUGHTS.has(name)) return 0;
    return typeof value === 'string' ? value.length : JSON.stringify(value).length;
  }

  private admits(name: string): boolean {
    return Object.hasOwn(this.fields, name) || ++this.names <= MAX_FIELDS;
  }
}

function hasValue(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '';
}

function grown(known: unknown, value: unknown): unknown {
  if (typeof known === 'string' && typeof value === 'string') return known + value;
  if (Array.isArray(known) && Array.isArray(value)) return value.reduce(withEntry, known);
  if (isObject(known) && isObject(value)) return extended(known, value);
  return Array.isArray(value) ? value.reduce(withEntry, []) : value;
}

/** In place: a copy for each of many deltas would take quadratic time. */
function extended(known: Record<string, unknown>, more: Fields): object {
  for (const name of Object.keys(more)) if (name !== '__proto__') known[name] = more[name];
  return known;
}

function withEntry(list: readonly unknown[], entry: unknown): readonly unknown[] {
  const last = list.at(-1);
  if (
    !isObject(entry) ||
    !isObject(last) ||
    entry.index === undefined ||
    entry.index !== last.index
  )
    return [...list, entry];
  const merged = { ...last };
  for (const [name, value] of Object.entries(entry)) {
    if (!hasValue(value)) continue;
    const before = merged[name];
    const grows = GROWING.has(name) && typeof before === 'string' && typeof value === 'string';
    merged[name] = grows ? before + value : value;
  }
  return [...list.slice(0, -1), merged];
}

/** The fields of a turn that its message keeps, so that they can be sent back. */
export function keepFields(
  author: Author,
  message: Fields | undefined,
  calls: readonly (Fields | undefined)[],
): AssistantMessage['provider_data'] {
  if (!message && calls.every((fields) => !fields)) return undefined;
  const kept = { ...author, ...(message && { message }) };
  return { [MEMBER]: { ...kept, calls: calls.map((fields) => fields ?? null) } };
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
  const fields = isObject(kept.message) ? kept.message : {};
  const calls = Array.isArray(kept.calls) ? (kept.calls as unknown[]) : [];
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
