import { existsSync, readFileSync } from 'node:fs';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { parse } from 'yaml';
import { METRICS } from '../../src/metrics/definitions.js';
import type { Definition } from '../../src/metrics/definitions.js';

interface Query {
  readonly where: string;
  readonly expr: string;
  /** Labels that its legend or annotations show. */
  readonly shown: readonly string[];
}

interface Panel {
  readonly title: string;
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Compose {
  readonly services: Readonly<Record<string, { readonly volumes?: readonly string[] }>>;
}

/** Labels that Prometheus gives to its own series of alerts. */
const ALERT = ['alertname', 'alertstate'];
const FOLDER = 'deploy/observability';
const read = (name: string): string => readFileSync(`${FOLDER}/${name}`, 'utf8');
const { panels } = JSON.parse(read('dashboard.json')) as { readonly panels: readonly Panel[] };
const { groups } = parse(read('alerts.yml')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);

const queries: readonly Query[] = [
  ...panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      ...{ where: title, expr, shown: allOf(/\{\{(\w+)\}\}/g, legendFormat) },
    })),
  ),
  ...rules.map(({ alert, expr, annotations }) => ({
    ...{ where: alert, expr },
    shown: allOf(/\$labels\.(\w+)/g, Object.values(annotations).join(' ')),
  })),
];

/** Names of series with the labels of each. */
function knownSeries(): ReadonlyMap<string, readonly string[]> {
  const own = Object.entries<Definition>(METRICS).flatMap(([name, { type, labels = {} }]) => {
    const names = Object.keys(labels);
    if (type !== 'histogram') return [[name, names] as const];
    const parts = ['_sum', '_count'].map((part) => [`${name}${part}`, names] as const);
    return [...parts, [`${name}_bucket`, [...names, 'le']] as const];
  });
  const process = new Registry();
  collectDefaultMetrics({ register: process });
  const others = process.getMetricsAsArray().map(({ name }) => [name, []] as const);
  return new Map<string, readonly string[]>([...own, ...others, ['up', []], ['ALERTS', ALERT]]);
}

/** What the expression `pattern` captures, each once. */
function allOf(pattern: RegExp, text: string): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, captured]) => captured!))];
}

function labelsIn(expr: string): string[] {
  const grouped = allOf(/\b(?:by|on) \(([^)]*)\)/g, expr).flatMap((list) =>
    list.split(/,\s*/).filter(Boolean),
  );
  const selected = allOf(/\{([^}]*)\}/g, expr).flatMap((each) => allOf(/(\w+)\s*[=!]/g, each));
  return [...grouped, ...selected];
}

describe(FOLDER, () => {
  const series = knownSeries();

  it.each(queries.map((query) => [`${query.where}: ${query.expr}`, query] as const))(
    'asks only for what the server has: %s',
    (_, { expr, shown }) => {
      const names = allOf(/\b((?:parley|nodejs|process)_\w+|up|ALERTS)\b/g, expr);
      expect(names).not.toEqual([]);
      expect(names.filter((name) => !series.has(name))).toEqual([]);
      const known = new Set(['instance', 'job', ...names.flatMap((name) => series.get(name)!)]);
      expect([...labelsIn(expr), ...shown].filter((label) => !known.has(label))).toEqual([]);
    },
  );

  it('has alerts that say what is wrong and how urgent it is, each with a name of its own', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { labels, annotations } of rules) {
      expect(['page', 'ticket']).toContain(labels['severity']);
      expect(Object.keys(annotations)).toEqual(['summary', 'description']);
    }
  });

  it('has a scenario of each alert, for promtool', () => {
    const tested = allOf(/alertname="(\w+)"/g, read('alerts.test.yml'));
    expect(new Set(tested)).toEqual(new Set(rules.map(({ alert }) => alert)));
  });

  it('has panels of the data source that Grafana is given', () => {
    const { datasources } = parse(read('grafana/datasources.yml')) as {
      readonly datasources: readonly { readonly uid: string }[];
    };
    const uids = new Set(datasources.map(({ uid }) => uid));
    for (const { datasource } of panels) if (datasource) expect(uids).toContain(datasource.uid);
  });

  it('scrapes every process of compose.yaml, which mounts only files that are there', () => {
    const { services } = parse(readFileSync('compose.yaml', 'utf8'), { merge: true }) as Compose;
    const names = Object.keys(services).filter((name) => /^(api|worker)-/.test(name));
    const { scrape_configs } = parse(read('prometheus.yml')) as {
      readonly scrape_configs: readonly {
        readonly static_configs: readonly { readonly targets: readonly string[] }[];
      }[];
    };
    expect(scrape_configs[0]!.static_configs[0]!.targets).toEqual(names.map((n) => `${n}:3000`));
    const mounted = Object.values(services).flatMap(({ volumes = [] }) => volumes);
    const files = mounted
      .filter((each) => each.startsWith('./'))
      .map((each) => each.split(':')[0]!);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });
});
