import { count } from './amounts';

export const logText = {
  label: 'Records of this chat',
  search: 'Search records',
  type: 'Type of record',
  allTypes: 'All types',
  order: 'Order',
  orders: { newest: 'Newest message first', oldest: 'In order' } as const,
  records: (listed: number, all: number) =>
    listed === all ? count(all) : `${count(listed)} of ${count(all)}`,
  reading: (left: number) =>
    `Reading the logs of ${count(left)} ${left === 1 ? 'message' : 'messages'}…`,
  earlier: 'Read earlier messages',
  nothing: 'No record is like this.',
  empty: 'Nothing has been said in this chat yet.',
  copyJson: 'Copy as JSON',
  copyLink: 'Copy link',
  close: 'Close the record',
  record: (seq: number) => `Record ${seq}`,
  rest: (left: number) => `… and ${count(left)} characters more. Copy has all.`,
  keys: { group: 'Log', next: 'Next record', previous: 'Previous record', open: 'Open it' },
  hint: 'j k to move, Enter to open, / to search',
};
