/** How a conversation that has grown too long is sent from some turn on. It stands in the log, so that a turn that is asked again sends the same. */
export interface ContextMark {
  /** The first message that is sent as it is; what is before it is left out. */
  readonly from: number;
  /** What is sent in the place of those; null: only that they are left out. */
  readonly summary: string | null;
  /** Large outputs of tools in messages before this one are sent as references. */
  readonly references_before: number;
  /** Of the messages that it is about: it holds for conversations that begin with them. */
  readonly digest: string;
}

/** What a NOTICE that tells of a mark hides from clients. */
export interface ContextJournal {
  readonly context: ContextMark;
}

/** A mark before it is known which messages it is about. */
export type ContextCut = Omit<ContextMark, 'digest'>;

/** Everything is sent as it is. */
export const WHOLE: ContextCut = { from: 0, summary: null, references_before: 0 };

/** How many messages of the conversation a mark is about. */
export function reachOf({ from, references_before }: ContextCut): number {
  return Math.max(from, references_before);
}
