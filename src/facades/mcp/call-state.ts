import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Principal } from '../../auth/principal.js';
import { isObject } from '../../kernel/json/json.js';
import type { InteractionRow } from '../../persistence/rows/interaction-row.js';
import { isId } from './message.js';
import type { RpcId } from './message.js';

const STATE = /^([A-Za-z0-9_-]{1,64})\.(\d{1,10})\.([A-Za-z0-9_-]{43})$/;
const FORM = /^([A-Za-z0-9_-]{1,64})\/([A-Za-z0-9_-]{1,64})$/;
const MAX_EVENT_ID = 4096;

/** How the client of a call is asked for decisions; `never`: others decide. */
const ASKING = ['never', 'during', 'in_results'] as const;
export type Asking = (typeof ASKING)[number];

/** A call of a tool, as its client knows it. */
export interface Call {
  readonly id: RpcId;
  /** The token with which the client wants to hear of progress. */
  readonly progress: RpcId | undefined;
  readonly asking: Asking;
}

/** A call, where its client has got to. */
export interface CallPosition {
  readonly interaction_id: string;
  /** The last record that the client has heard of. */
  readonly seq: number;
}

type SignedRow = Pick<InteractionRow, 'id' | 'chat_uid'>;

/**
 * The `requestState` of a result that asks. Its key is the internal name of the chat, which no
 * client sees and each process reads: only the user who got it can send it back, unaltered.
 */
export function formatState(row: SignedRow, seq: number, caller: Principal): string {
  return `${row.id}.${seq}.${sign(row, seq, caller).toString('base64url')}`;
}

/** Undefined if it is none. It counts once `isSigned`. */
export function parseState(state: string): CallPosition | undefined {
  const [, interaction_id, seq] = STATE.exec(state) ?? [];
  return interaction_id === undefined ? undefined : { interaction_id, seq: Number(seq) };
}

/** True for a state as the row's server gave it to this user. */
export function isSigned(state: string, row: SignedRow, caller: Principal): boolean {
  const [, id, seq, signature = ''] = STATE.exec(state) ?? [];
  const expected = sign(row, Number(seq), caller);
  const sent = Buffer.from(signature, 'base64url');
  return id === row.id && sent.length === expected.length && timingSafeEqual(sent, expected);
}

function sign({ id, chat_uid }: SignedRow, seq: number, caller: Principal): Buffer {
  const text = JSON.stringify([id, seq, caller.tenant_id, caller.user_id]);
  return createHmac('sha256', chat_uid).update(text).digest();
}

/** The id of a frame: with it a client that was cut off reads on, on any process. */
export function formatEventId({ interaction_id, seq }: CallPosition, call: Call): string {
  const { id, progress = null, asking } = call;
  const parts = [interaction_id, seq, id, progress, ASKING.indexOf(asking)];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Undefined if it is none. It names only what the caller may read anyway. */
export function parseEventId(
  text: string,
): { readonly position: CallPosition; readonly call: Call } | undefined {
  if (text.length > MAX_EVENT_ID) return undefined;
  const parts = parseArray(Buffer.from(text, 'base64url').toString());
  const [interaction_id, seq, id, progress, at] = parts;
  const asking = ASKING[Number(at)];
  if (typeof interaction_id !== 'string' || !isSeq(seq) || !isId(id) || !asking) return undefined;
  if (progress !== null && !isId(progress)) return undefined;
  const call = { id, progress: progress ?? undefined, asking };
  return { position: { interaction_id, seq }, call };
}

function parseArray(json: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Saved with an interaction, so that any process finds the one that a client cancels. */
export function formatOrigin(session: string, id: RpcId): Readonly<Record<string, unknown>> {
  return { mcp: { session, request: id } };
}

export function hasOrigin(
  { metadata }: Pick<InteractionRow, 'metadata'>,
  session: string,
  id: RpcId,
): boolean {
  const { mcp } = metadata;
  return isObject(mcp) && mcp['session'] === session && mcp['request'] === id;
}

/** The id of the request in which the server sends a form. */
export function formatFormId(interaction_id: string, request_id: string): string {
  return `${interaction_id}/${request_id}`;
}

/** Undefined if it is none. */
export function parseFormId(
  id: RpcId,
): { readonly interaction_id: string; readonly request_id: string } | undefined {
  const [, interaction_id, request_id] = FORM.exec(String(id)) ?? [];
  return interaction_id && request_id ? { interaction_id, request_id } : undefined;
}
