import type { Message } from '../../protocol/message.js';
import type { ContextCut } from './context-marks.js';
import { reachOf } from './context-marks.js';
import type { TokenTable } from './token-table.js';

interface PlannedConversation {
  readonly messages: readonly Message[];
  /** The cut in force. */
  readonly cut: ContextCut;
  readonly table: TokenTable;
  /** Token budget of the request. */
  readonly budget: number;
}

/**
 * The plan for a conversation: send it unchanged; send large outputs as references; omit older
 * messages, with or without a summary; or `overflow`: nothing more can be omitted.
 */
type Plan =
  | { readonly kind: 'send' | 'overflow' }
  | { readonly kind: 'refer' | 'drop'; readonly cut: ContextCut };

/**
 * Shares of the budget: the threshold for a cut, the target if references alone reach it, and the
 * share of the newest messages that stay.
 */
const CUT_THRESHOLD = 0.8;
const REFERENCE_TARGET = 0.6;
const NEWEST_SHARE = 0.3;

export function planCut({ messages, cut, table, budget }: PlannedConversation): Plan {
  const now = table.total(cut);
  if (now <= budget * CUT_THRESHOLD) return { kind: 'send' };
  const newest = newestFrom({ messages, cut, table, budget });
  const referred = { ...cut, references_before: Math.max(cut.references_before, newest) };
  if (table.total(referred) <= budget * REFERENCE_TARGET) return { kind: 'refer', cut: referred };
  // a slightly smaller request does not justify another summary with each turn
  const most = now <= budget ? budget * CUT_THRESHOLD : budget;
  const smaller = smallerCuts(messages, cut, newest).find(
    (next) => table.total(next) + summaryTokens(budget) <= most,
  );
  if (smaller) return { kind: smaller.from === cut.from ? 'refer' : 'drop', cut: smaller };
  return { kind: now <= budget ? 'send' : 'overflow' };
}

/** Maximum number of tokens of a summary. */
export function summaryTokens(budget: number): number {
  return Math.floor(Math.min(4_000, Math.max(50, budget / 10)));
}

/**
 * Index of the first of the newest messages that fit into their share; the last turn is always
 * included.
 */
function newestFrom({ messages, cut, table, budget }: PlannedConversation): number {
  const starts = unitStarts(messages).filter((at) => at >= cut.from);
  const last = starts.at(-1) ?? cut.from;
  return starts.find((at) => table.since(at) <= roomFrom(at, table, budget)) ?? last;
}

function roomFrom(at: number, table: TokenTable, budget: number): number {
  const left = budget * CUT_THRESHOLD - table.around(at) - summaryTokens(budget);
  return Math.min(budget * NEWEST_SHARE, left);
}

/** Smaller cuts, the least invasive first. */
function smallerCuts(messages: readonly Message[], cut: ContextCut, newest: number): ContextCut[] {
  const dropped = {
    from: newest,
    summary: null,
    references_before: Math.max(reachOf(cut), newest),
  };
  const all = messages.length;
  const older = newest > cut.from ? [dropped, { ...dropped, references_before: all }] : [];
  return [...older, { ...cut, references_before: all }];
}

/**
 * Index of the first of the last `count` messages. Fewer where a call would be split from its
 * results; the last turn stays whole.
 */
export function lastMessages(messages: readonly Message[], count: number): number {
  const first = messages.length - count;
  if (first <= 0) return 0;
  const starts = unitStarts(messages);
  return starts.find((at) => at >= first) ?? starts.at(-1) ?? 0;
}

/**
 * Indices at which a conversation may be cut: all messages except tool results, which belong to the
 * message that calls them.
 */
function unitStarts(messages: readonly Message[]): readonly number[] {
  return messages.flatMap(({ role }, at) => (role === 'tool' ? [] : [at]));
}
