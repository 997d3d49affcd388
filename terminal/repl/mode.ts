import type { RequestState } from '../../client/index.js';

/** The meaning of the next key or line. */
export type Mode =
  | { readonly kind: 'message' }
  /** The request that keys decide while nothing is typed. */
  | { readonly kind: 'approval'; readonly request: RequestState }
  | { readonly kind: 'reason'; readonly request: RequestState }
  /** A scope is asked for as soon as the rule is shown, which allows the call or denies it. */
  | {
      readonly kind: 'remember';
      readonly request: RequestState;
      readonly approved: boolean;
      readonly isShown: boolean;
    }
  | { readonly kind: 'question'; readonly request: RequestState }
  /** A message in place of an earlier one. */
  | { readonly kind: 'edit'; readonly interaction_id: string }
  /** Another text for a message in the queue. */
  | { readonly kind: 'queued'; readonly interaction_id: string };

export const MESSAGE: Mode = { kind: 'message' };

interface Situation {
  readonly mode: Mode;
  readonly pending: readonly RequestState[];
  /** Requests that the person wants to look at later. */
  readonly skipped: ReadonlySet<string>;
  readonly hasDraft: boolean;
}

/**
 * The mode after something has happened: one about a request ends with it, and the next request
 * comes up as soon as nothing is typed, so that no letter of a message decides it.
 */
export function settleMode({ mode, pending, skipped, hasDraft }: Situation): Mode {
  if ('request' in mode) {
    if (pending.some(({ id }) => id === mode.request.id)) return mode;
  } else if (mode.kind !== 'message') return mode;
  if (hasDraft) return MESSAGE;
  const next = pending.find(({ id }) => !skipped.has(id));
  if (!next) return MESSAGE;
  return { kind: next.kind === 'approval' ? 'approval' : 'question', request: next };
}

/** Answer to a question: with options, the one with the number; else the text itself. */
export function answerOf({ options = [] }: RequestState, text: string): string {
  const number = /^\s*\d{1,3}\s*$/.test(text) ? Number(text) : 0;
  return options[number - 1] ?? text;
}
