import { parseArgs } from 'node:util';
import { STORES } from '../bench/stores.mjs';

/** What was asked for on the command line. Throws when it can't be read. */
export function readOptions() {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      store: { type: 'string', default: 'postgres' },
      minutes: { type: 'string', default: '20' },
      chats: { type: 'string', default: '10' },
      keep: { type: 'boolean', default: false },
    },
  });
  if (!STORES.includes(values.store)) throw new Error(`--store is one of ${STORES.join(', ')}`);
  return {
    ...values,
    kills: toNumber('kills', values.kills),
    minutes: toNumber('minutes', values.minutes),
    chats: toNumber('chats', values.chats),
  };
}

function toNumber(name, text) {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`--${name} is a number above 0`);
  return number;
}
