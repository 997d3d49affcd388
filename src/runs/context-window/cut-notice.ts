import type { Entry } from '../../event-log/append/run-log.js';
import type { Message } from '../../protocol/message.js';
import { digestMessages, reachOf } from './context-marks.js';
import type { ContextCut } from './context-marks.js';
import type { TokenTable } from './token-table.js';

interface CutNoticeOptions {
  readonly agent_id: string;
  /** `<provider>/<name>` */
  readonly model: string;
  /** The cut in force until now. */
  readonly last: ContextCut;
  readonly messages: readonly Message[];
  readonly table: TokenTable;
  /** Index of the first message that the interaction added; given for the root agent only. */
  readonly added_from?: number | undefined;
  /** Number of messages before these that are not loaded. */
  readonly unread: number;
}

/** Builds the NOTICE of a new cut, with the mark in its hidden part. */
export class CutNotice {
  constructor(private readonly options: CutNoticeOptions) {}

  entry(key: string | null, next: ContextCut): Entry {
    const { agent_id, model, last, messages, table, added_from, unread } = this.options;
    const { from, summary, references_before } = next;
    const digest = digestMessages(messages.slice(0, reachOf(next)));
    const mark = { from, summary, references_before, digest };
    const context = { ...mark, ...(added_from !== undefined && { added_from, unread }) };
    const [before, after] = [table.total(last), table.total(next)];
    const text = describeCut({ model, last, next, before, after, unread });
    return { agent_id, key, body: { type: 'NOTICE', ...text }, hidden: { context } };
  }
}

interface DescribedCut {
  /** `<provider>/<name>` */
  readonly model: string;
  /** The cut in force until now, and from now on. */
  readonly last: ContextCut;
  readonly next: ContextCut;
  /** Tokens of a request with each of these cuts. */
  readonly before: number;
  readonly after: number;
  readonly unread: number;
}

function describeCut({ model, last, next, before, after, unread }: DescribedCut): {
  code: 'context_compacted' | 'context_cut';
  message: string;
} {
  const sizes = `A turn for ${model} has about ${after} tokens now instead of ${before}.`;
  const dropped = next.from - last.from;
  if (dropped === 0)
    return {
      code: 'context_cut',
      message: `The conversation grew long, so large outputs of earlier tool calls are sent to the model as references, which the tool read opens. ${sizes}`,
    };
  if (next.summary === null)
    return {
      code: 'context_cut',
      message: `The conversation grew too long, so its ${oldest(unread + next.from)} not sent to the model any more. ${sizes}`,
    };
  return {
    code: 'context_compacted',
    message: `The conversation grew long, so its ${oldest(unread + next.from)} sent to the model as a summary. ${sizes}`,
  };
}

function oldest(count: number): string {
  return count === 1 ? 'oldest message is' : `${count} oldest messages are`;
}
