import type { PermissionCall } from '../permission-call.js';
import type { ScriptPart } from '../shell/script.js';

/** A part of a call that is judged by itself: all of it, or a command of its script, or a script that can't be read. */
export type JudgedPart =
  | ScriptPart
  | { readonly kind: 'call'; readonly source: string }
  | { readonly kind: 'unreadable'; readonly source: string; readonly fault: string };

/** The call that a part belongs to. */
export interface JudgedCall {
  readonly call: PermissionCall;
  /** The script, if it is a call that runs one. */
  readonly script?: string;
}
