import { renderTable } from '../report.mjs';

const STREAMS = {
  latency: {
    title: 'Streams of 5 deltas a second: latency, from the request and from the model’s write',
    columns: [
      ['first_p50_ms', 'first delta p50 ms', 1],
      ['first_p95_ms', 'p95', 1],
      ['first_p99_ms', 'p99', 1],
      ['late_p50_ms', 'each delta p50 ms', 1],
      ['late_p95_ms', 'p95', 1],
      ['late_p99_ms', 'p99', 1],
      ['carried_percent', 'carried %', 1],
      ['failed', 'failed', 0],
    ],
  },
  cost: {
    title: 'What they take: CPU-ms per 1,000 deltas, resident MB, operations per interaction',
    columns: [
      ['cpu_ms', 'CPU-ms', 0],
      ['cpu_api_ms', 'api', 0],
      ['cpu_worker_ms', 'worker', 0],
      ['cpu_redis_ms', 'Redis', 0],
      ['cpu_percent', 'CPU %', 0],
      ['rss_mb', 'MB in all', 0],
      ['rss_api_mb', 'largest api', 0],
      ['rss_worker_mb', 'largest worker', 0],
      ['commits', 'Postgres commits', 1],
      ['rows', 'rows', 1],
      ['redis_scripts', 'Redis scripts', 1],
      ['redis_commands', 'commands', 0],
    ],
  },
  rest: {
    title: 'At rest, per second',
    columns: [
      ['cpu_percent', 'CPU %', 1],
      ['commits', 'Postgres commits', 1],
      ['rows', 'rows', 1],
      ['redis_scripts', 'Redis scripts', 1],
      ['redis_commands', 'commands', 1],
    ],
  },
};

const APPROVALS = {
  waiting: {
    title: 'Interactions that wait for an approval',
    columns: [
      ['waiting', 'waiting', 0],
      ['starts_per_s', 'starts/s', 0],
      ['heap_before_mb', 'in use before MB', 1],
      ['heap_more_mb', 'more MB', 1],
      ['rss_mb', 'resident MB in all', 0],
      ['rss_api_mb', 'largest api', 0],
      ['rss_worker_mb', 'largest worker', 0],
      ['rest_cpu_percent', 'CPU % at rest', 1],
      ['failed', 'failed', 0],
    ],
  },
  decided: {
    title:
      'Pages of 200 of the inbox, and 200 approvals, 16 at once, each until its interaction has ended',
    columns: [
      ['page_p50_ms', 'page p50 ms', 1],
      ['page_p95_ms', 'p95', 1],
      ['page_max_ms', 'max', 1],
      ['approvals_per_s', 'approvals/s', 0],
      ['approved_p50_ms', 'approved to end p50 ms', 1],
      ['approved_p95_ms', 'p95', 1],
      ['approved_p99_ms', 'p99', 1],
      ['cpu_ms_per_approval', 'CPU-ms each', 1],
    ],
  },
};

const STORM = {
  title: 'Readers that come back at once: until they have all that had been said by then',
  columns: [
    ['came_back', 'came back', 0],
    ['caught_up_p50_ms', 'p50 ms', 0],
    ['caught_up_p95_ms', 'p95', 0],
    ['caught_up_p99_ms', 'p99', 0],
    ['all_ms', 'all', 0],
    ['worst_ms', 'worst of 3', 0],
    ['cpu_ms_per_reader', 'CPU-ms each', 1],
    ['rss_mb', 'resident MB in all', 0],
    ['retries', 'tried again', 0],
    ['completed', 'read to the end', 0],
    ['faults', 'gaps, duplicates, faults', 0],
  ],
};

const CONVERSATIONS = {
  title: 'The read that a run begins with, by messages in the chat, and what it is part of',
  columns: [
    ['kb', 'KB', 0],
    ['postgres_p50_ms', 'Postgres p50 ms', 2],
    ['postgres_p99_ms', 'p99', 2],
    ['redis_p50_ms', 'Redis p50 ms', 2],
    ['redis_p99_ms', 'p99', 2],
    ['saved_ms', 'saved p50 ms', 2],
    ['first_read_p50_ms', 'first delta read p50 ms', 1],
    ['first_read_p99_ms', 'p99', 1],
    ['first_kept_p50_ms', 'kept p50 ms', 1],
    ['first_kept_p99_ms', 'p99', 1],
  ],
};

/** The tables of a scenario's results, `{ [topology]: figures }`, in Markdown. */
export const TABLES_OF = {
  streams: (results) => {
    const rows = byStep(results);
    const rest = mapValues(results, (each) => each.rest);
    return [
      renderTable(STREAMS.latency, rows),
      renderTable(STREAMS.cost, rows),
      renderTable(STREAMS.rest, withRatio(rest)),
    ];
  },
  approvals: (results) => [
    renderTable(APPROVALS.waiting, withRatio(results)),
    renderTable(APPROVALS.decided, withRatio(results)),
  ],
  storm: (results) => [renderTable(STORM, withRatio(results))],
  conversations: (results) => [
    renderTable(
      CONVERSATIONS,
      byStep(results, (rows) => rows),
    ),
  ],
};

/** A row for each step and topology, and what is `added` to them. */
function byStep(results, added = withRatio) {
  const steps = Object.keys(Object.values(results)[0].rows);
  return Object.assign(
    {},
    ...steps.map((step) => {
      const rows = added(mapValues(results, (each) => each.rows[step]));
      return Object.fromEntries(
        Object.entries(rows).map(([name, figures]) => [`${step} ${name}`, figures]),
      );
    }),
  );
}

/** With a row that says how many times as much the cluster has. */
function withRatio(rows) {
  const { single, cluster } = rows;
  if (!single || !cluster) return rows;
  const ratio = mapValues(cluster, (figure, field) => single[field] && figure / single[field]);
  return { ...rows, '×': ratio };
}

function mapValues(object, change) {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, change(value, name)]),
  );
}
