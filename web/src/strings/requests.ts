import type { RequestState } from 'parley/client';

export const requestText = {
  approve: 'Approve',
  approveEdited: 'Approve as changed',
  reject: 'Reject',
  edit: 'Change input',
  editNot: 'Leave as it is',
  asForm: 'As a form',
  asJson: 'As JSON',
  inexact: (number: string) =>
    `The input has the number ${number}. A changed input can’t keep all its digits: approve it as it is, or write the number as a text.`,
  addItem: 'Add',
  removeItem: (name: string, at: number) => `Remove ${at} of ${name}`,
  notSet: 'left out',
  leaveOut: (name: string) => `Leave out ${name}`,
  yes: 'yes',
  no: 'no',
  required: 'required',
  faults: {
    number: 'This is not a number.',
    integer: 'This is not a whole number.',
    json: 'This is not JSON.',
  } as const,
  reason: 'Reason, for the model',
  remember: 'Remember',
  rememberNot: 'This call only',
  rememberScopes: {
    session: 'In this chat',
    agent: 'For this kind of agent',
    global: 'Everywhere',
  } as const,
  preview: 'The rule that it adds',
  previewing: 'Looking up the rule…',
  both: (where: string) => `${where}, approving allows and rejecting denies from now on:`,
  onlyAllow: (where: string) =>
    `${where}, approving allows from now on (a rejection can’t be remembered so):`,
  onlyDeny: (where: string) =>
    `${where}, rejecting denies from now on (an approval can’t be remembered so):`,
  neither:
    'No rule of this scope would decide calls like this one: another rule comes first, or it can’t be read for certain. Decide for this call only.',
  wouldHave: (count: number, of: number, tool: string) =>
    `It would have decided ${count} of ${of} earlier ${of === 1 ? 'call' : 'calls'} of ${tool} here.`,
  waited: {
    approval: 'waited here for a decision',
    input: 'waited here for an answer',
    tool: 'waited here for a result',
  } satisfies Record<RequestState['kind'], string>,
  more: (count: number) => `and ${count} more`,
  why: 'Why it asks',
  risks: { low: 'low risk', medium: 'medium risk', high: 'high risk' } as Readonly<
    Record<string, string>
  >,
  input: 'Input as the model wrote it',
  moreLines: (lines: number) => (lines === 1 ? 'Show 1 more line' : `Show ${lines} more lines`),
  action: 'What it would do',
  notJson: 'This is not a JSON object.',
  expired: 'has expired',
  expires: (left: string) => `expires in ${left}`,
  answer: 'Answer',
  answerPlaceholder: 'Answer in your own words',
  decline: 'Decline',
  question: 'A question',
  clientTool: 'A program must answer',
  clientToolHint:
    'This tool is run by the program that started the message. It answers over the API; you can also give the result yourself.',
  giveResult: 'Give the result',
  result: 'Result, for the model',
  isError: 'It failed',
  settled: (request: RequestState, ago: string): string => settledText(request, ago),
  ago: (ms: number): string => agoText(ms),
  left: (ms: number): string => leftText(ms),
};

function settledText({ kind, status, settlement }: RequestState, ago: string): string {
  if (status === 'closed') return 'Closed, as its interaction ended';
  if (!settlement) return 'Done';
  const { by, cause, approved, reason, modified_input, answer } = settlement;
  const who = by.kind === 'user' && by.user_id ? ` by ${by.user_id}` : ' by the server';
  const when = ago === '' ? '' : `, ${ago}`;
  if (cause === 'timeout') return `Expired without a decision${when}`;
  if (cause === 'cancel') return `Closed by a cancel${when}`;
  if (kind === 'approval') {
    const verb = approved ? (modified_input ? 'Approved with changes' : 'Approved') : 'Rejected';
    return `${verb}${who}${when}${reason ? `: ${reason}` : ''}`;
  }
  if (answer === null) return `Declined${who}${when}`;
  return `Answered${who}${when}${answer === undefined ? '' : `: ${answer}`}`;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function agoText(ms: number): string {
  if (ms < MINUTE) return `${Math.max(1, Math.round(ms / SECOND))} s ago`;
  return `${spanText(ms)} ago`;
}

function leftText(ms: number): string {
  return ms < MINUTE ? `${Math.ceil(ms / SECOND)} s` : spanText(ms);
}

function spanText(ms: number): string {
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  const days = Math.floor(ms / DAY);
  return days === 1 ? '1 day' : `${days} days`;
}
