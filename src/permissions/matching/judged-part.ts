import type { PermissionCall } from '../permission-call.js';
import type { ScriptPart } from '../shell/script.js';

/**
 * A part of a call that is judged separately: the whole call, a command of its script, or an
 * unreadable script.
 */
export type JudgedPart =
  | ScriptPart
  | { readonly kind: 'call'; readonly source: string }
  | { readonly kind: 'unreadable'; readonly source: string; readonly fault: string };

/** The call that contains a part. */
export interface JudgedCall {
  readonly call: PermissionCall;
  /** The script, if the call runs one. */
  readonly script?: string;
}
