import { parseArgs } from 'node:util';
import { STORES } from '../bench/stores.mjs';

const USAGE = `npm run chaos -- [--kills 100] [--seed 1] [--store ${STORES.join('|')}] [--minutes 20] [--chats 10] [--keep]
npm run chaos -- --cluster [--redis redis://127.0.0.1:6379/6] [--kills 100] …
npm run chaos -- --short [--cluster] [--kills 100] …

  --cluster  two processes with ROLE=api and two with ROLE=worker on one Postgres database and one Redis, which is cut off and emptied too
  --redis    a database of Redis for that, which has nothing else: it is emptied. Else the database 6 at TEST_REDIS_URL or 127.0.0.1:6379
  --short    nothing but kills, each within 1.75 s after a server was ready or while it starts; the model thinks for 0.5 to 1.5 s

See docs/durability.md for what it does and checks.`;

/** What was asked for on the command line; ends the process if that was help, or can't be done. */
export function readOptions() {
  try {
    return parse();
  } catch (error) {
    console.error(error.message);
    return process.exit(1);
  }
}

function parse() {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      store: { type: 'string', default: 'postgres' },
      cluster: { type: 'boolean', default: false },
      redis: { type: 'string' },
      short: { type: 'boolean', default: false },
      minutes: { type: 'string', default: '20' },
      chats: { type: 'string', default: '10' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  checkStore(values);
  return {
    ...values,
    redis: redisOf(values),
    kills: toNumber('kills', values.kills),
    minutes: toNumber('minutes', values.minutes),
    chats: toNumber('chats', values.chats),
  };
}

function checkStore({ store, cluster, redis }) {
  if (!STORES.includes(store)) throw new Error(`--store is one of ${STORES.join(', ')}`);
  if (cluster && store !== 'postgres')
    throw new Error(
      `--cluster is several processes on one database, --store ${store} belongs to one process: leave --store out, or use postgres`,
    );
  if (redis !== undefined && !cluster) throw new Error('--redis is for --cluster');
  if (redis !== undefined && !/^redis:\/\/[^/]/.test(redis))
    throw new Error('--redis is a URL such as redis://127.0.0.1:6379/6');
}

/** Of a server that tests use, a database that they don't. */
function redisOf({ cluster, redis }) {
  if (!cluster || redis !== undefined) return redis;
  const url = new URL(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379');
  url.pathname = '/6';
  return url.href;
}

function toNumber(name, text) {
  const number = Number(text);
  if (!(number > 0)) throw new Error(`--${name} is a number above 0`);
  return number;
}
