/**
 * What each scenario is called, and which of its figures are shown how: `[field, heading, digits]`.
 */
const TABLES = {
  flat: {
    title: 'Flat out: 200-token answers, 64 at once (aim on Postgres: 3 × proxy)',
    columns: [
      ['deltas_per_s', 'deltas/s', 0],
      ['cpu_ms_per_1000_deltas', 'CPU-ms per 1,000', 2],
      ['to_proxy', '× proxy', 2],
      ['cpu_percent', 'CPU %', 0],
      ['first_delta_p50_ms', 'first delta p50 ms', 1],
      ['first_delta_p99_ms', 'p99 ms', 1],
      ['frames_per_answer', 'frames/answer', 1],
      ['failed', 'failed', 0],
    ],
  },
  paced: {
    title:
      'Paced: 500 streams, 50 deltas/s each, on one core (aim on Postgres: all carried, p99 under 60 ms)',
    columns: [
      ['carried_percent', 'carried %', 1],
      ['lateness_p50_ms', 'late p50 ms', 1],
      ['lateness_p99_ms', 'p99 ms', 1],
      ['lateness_max_ms', 'max ms', 0],
      ['cpu_percent', 'CPU %', 0],
      ['cpu_ms_per_1000_deltas', 'CPU-ms per 1,000', 1],
      ['failed', 'failed', 0],
    ],
  },
  runs: {
    title: 'Agent runs (model, tool, model, 20 deltas), 16 at once (aim on databases: 200 runs/s)',
    columns: [
      ['runs_per_s', 'runs/s', 0],
      ['cpu_ms_per_run', 'CPU-ms per run', 2],
      ['cpu_percent', 'CPU %', 0],
      ['whole_p50_ms', 'whole p50 ms', 1],
      ['whole_p99_ms', 'p99 ms', 1],
      ['failed', 'failed', 0],
    ],
  },
  writes: {
    title: 'Written per interaction (aim: the same for any length)',
    columns: [
      ['rows_20_tokens', 'rows, 20 tokens', 1],
      ['rows_2000_tokens', '2,000 tokens', 1],
      ['commits_20_tokens', 'commits, 20 tokens', 1],
      ['commits_2000_tokens', '2,000 tokens', 1],
    ],
  },
  start: {
    title: 'Start until ready, existing data (aim: 1,500 ms)',
    columns: [
      ['best_ms', 'best ms', 0],
      ['median_ms', 'median ms', 0],
    ],
  },
  python: {
    title: 'Calls of python, one at a time (aim on a machine at rest: 100 ms for a later one)',
    columns: [
      ['first_ever_ms', 'first ever ms', 0],
      ['first_ms', 'first of a start ms', 0],
      ['later_p50_ms', 'later p50 ms', 0],
      ['later_max_ms', 'max ms', 0],
      ['to_first', '× first', 3],
      ['at_once_p50_ms', 'in a row p50 ms', 0],
      ['rss_before_mb', 'resident MB before', 0],
      ['rss_mb', 'with one in reserve', 0],
      ['load', 'load', 1],
    ],
  },
  parked: {
    title: '10,000 interactions that wait for an approval (aim: 50 MB of heap more at most)',
    columns: [
      ['heap_before_mb', 'heap before MB', 1],
      ['heap_more_mb', 'more MB', 1],
      ['external_more_mb', 'external more MB', 1],
      ['rss_mb', 'resident MB', 0],
      ['cpu_percent', 'CPU % at rest', 1],
      ['first_delta_p50_ms', "others' first delta p50 ms", 1],
      ['first_delta_p99_ms', 'p99 ms', 1],
      ['starts_per_s', 'starts/s', 0],
      ['approvals_per_s', 'approvals/s', 0],
      ['whole_p50_ms', 'approved to end p50 ms', 1],
      ['failed', 'failed', 0],
    ],
  },
  idle: {
    title: '500 idle streams, each with its run and its model connection (aim: 60 KB each)',
    columns: [
      ['used_kb_per_stream', 'KB in use each', 1],
      ['rss_kb_per_stream', 'resident KB more each', 1],
      ['rss_mb', 'whole process MB', 0],
    ],
  },
};

/** A scenario's results, `{ [target]: figures }`, as a table in Markdown. */
export function toTable(scenario, results) {
  return renderTable(TABLES[scenario], results);
}

/** `columns`: `[field, heading, digits]`; `results`: the figures of each row by its name. */
export function renderTable({ title, columns }, results) {
  const rows = Object.entries(results).map(([target, figures]) => [
    target,
    ...columns.map(([field, , digits]) => format(figures[field], digits)),
  ]);
  const heads = ['', ...columns.map(([, heading]) => heading)];
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i].length)));
  const line = (cells) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' | ')} |`;
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [`${title}\n`, line(heads), rule, ...rows.map(line)].join('\n');
}

function format(number, digits) {
  if (number === undefined || number === null) return '';
  return number.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
