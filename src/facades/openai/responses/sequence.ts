/**
 * Numbers of events that are the same for each reader, whatever pieces texts come in: the seq of
 * the last record, the count of events that it made, and the length of the texts that have arrived
 * and are not recorded yet. So a number says what its reader has.
 */
export interface SequencePoint {
  readonly seq: number;
  readonly events: number;
  readonly length: number;
}

const LENGTHS = 2 ** 22;
/** Upper limit, exclusive, of the number of events that one record makes. */
const EVENTS = 2 ** 8;
/** The length of a block besides its text: the events that open it. */
export const OPENING = 4;

export function toSequence({ seq, events, length }: SequencePoint): number {
  const within = Math.min(events, EVENTS - 1) * LENGTHS + Math.min(length, LENGTHS - 1);
  return seq * EVENTS * LENGTHS + within;
}

export function parseSequence(number: number): SequencePoint {
  const length = number % LENGTHS;
  const rest = (number - length) / LENGTHS;
  return { seq: Math.floor(rest / EVENTS), events: rest % EVENTS, length };
}
