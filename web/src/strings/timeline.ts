import type { MarkKind, SpanKind } from '../timeline/spans';

export const timelineText = {
  label: 'Timeline',
  cursor: 'Record that the conversation is shown as of',
  asOf: (seq: number, last: number) => `As of record ${seq} of ${last}`,
  backToNow: 'Back to now',
  position: (seq: number, last: number, what: string) => `Record ${seq} of ${last}: ${what}`,
  at: (seq: number, last: number) => `${seq} of ${last}`,
  kinds: { turn: 'model', tool: 'tool', wait: 'waits', lost: 'server lost' } satisfies Record<
    SpanKind,
    string
  > as Readonly<Record<SpanKind, string>>,
  failed: 'failed',
  marks: {
    retry: 'retry',
    resume: 'resumed',
    note: 'note',
    error: 'error',
    cancel: 'cancelled',
  } satisfies Record<MarkKind, string> as Readonly<Record<MarkKind, string>>,
  took: (time: string) => `took ${time}`,
  waited: (time: string) => `waited ${time} of it`,
  shortened: 'long waits are drawn shorter',
  hint: 'Drag, or use ← → Home End. Esc leads back to now.',
  keys: {
    before: 'The record before',
    after: 'The record after',
    first: 'The first record',
    last: 'The last record',
  },
  openInLog: 'Show in the log',
  copyLink: 'Copy link',
  loading: 'Reading the log…',
};
