import type { HiddenOf } from '../../protocol/events.js';

/**
 * How a conversation that has grown too long is sent from some turn on. It is logged, so that a
 * turn that is repeated sends the same.
 */
export type ContextMark = Extract<HiddenOf<'NOTICE'>, { readonly context: unknown }>['context'];

/** A mark before it is known which messages it is about. */
export type ContextCut = Omit<ContextMark, 'digest'>;

/** Everything is sent as it is. */
export const WHOLE: ContextCut = { from: 0, summary: null, references_before: 0 };

/** How many messages of the conversation a mark is about. */
export function reachOf({ from, references_before }: ContextCut): number {
  return Math.max(from, references_before);
}
