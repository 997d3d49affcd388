import { startServer } from '../server.mjs';
import { countWrites } from '../stores.mjs';

const INTERACTIONS = 100;

/**
 * What an interaction writes, for short and for long answers. Postgres counts it; the embedded
 * database gets the same SQL. One at a time, so that no commit is shared; what a start writes by
 * itself is taken off.
 */
export async function writes(bench, { store }) {
  const start = await during(store, () => session(bench, store, []));
  const per = async (model) => {
    const all = await during(store, () => session(bench, store, Array(INTERACTIONS).fill(model)));
    return (field) => (all[field] - start[field]) / INTERACTIONS;
  };
  const short = await per('flat-20');
  const long = await per('flat-2000');
  return {
    rows_20_tokens: short('rows'),
    rows_2000_tokens: long('rows'),
    commits_20_tokens: short('commits'),
    commits_2000_tokens: long('commits'),
  };
}

/**
 * From start to end of a server: its connections tell what they did at the latest when they close.
 */
async function session(bench, store, models) {
  const server = await startServer({ ...bench, store });
  try {
    for (const model of models) {
      const job = { kind: 'closed', port: server.port, is_proxy: false, model };
      const { failed } = await bench.client.run({ ...job, at_once: 1, answers: 1 });
      if (failed > 0) throw new Error('An interaction failed while its writes were counted.');
    }
  } finally {
    await server.stop();
  }
}

async function during(store, work) {
  const before = await countWrites(store.url);
  await work();
  const after = await countWrites(store.url);
  return { rows: after.rows - before.rows, commits: after.commits - before.commits };
}
