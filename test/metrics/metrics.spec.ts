import type { Guardrails } from '../../src/guardrails/guardrails.js';
import type { AgentRegistry } from '../../src/agents/agent-registry.js';
import { loadConfig } from '../../src/config/load-config.js';
import { METRICS } from '../../src/metrics/definitions.js';
import { Metrics } from '../../src/metrics/metrics.js';
import type { Readings } from '../../src/metrics/metrics.js';
import { Telemetry } from '../../src/telemetry/telemetry.js';
import type { ToolRegistry } from '../../src/tools/core/tool-registry.js';
import { readSeries } from '../support/metrics/read-series.js';
import type { Series } from '../support/metrics/read-series.js';

const READINGS: Readings = {
  runs: { working: 1, waiting: 2, queued: 3 },
  queue_length: 4,
  queue_oldest_ms: 1_500,
  streams: 5,
  spilled: 6,
  store_up: true,
  dependencies: [
    { name: 'redis', awaySince: undefined },
    { name: 'tools of files', awaySince: new Date() },
  ],
  pending: [{ kind: 'approval', count: 7, oldest: '2026-01-15T10:00:00.000Z' }],
  now: Date.parse('2026-01-15T11:00:00.000Z'),
};

describe(Metrics.name, () => {
  let telemetry: Telemetry;
  let metrics: Metrics;
  beforeEach(() => {
    telemetry = new Telemetry();
    const agents = { list: () => [] } as unknown as AgentRegistry;
    const config = loadConfig({
      MODEL: 'demo/script',
      MODEL_PRICES: '{"demo/script": {"input": 1, "output": 1}}',
    });
    const guardrails = { names: ['secrets'] } as unknown as Guardrails;
    const tools = { list: () => [{ name: 'bash' }] } as unknown as ToolRegistry;
    metrics = new Metrics(config, agents, telemetry, guardrails, tools);
  });
  const scrape = async (readings: Partial<Readings> = {}): Promise<Series> =>
    readSeries(await metrics.scrape({ ...READINGS, ...readings }));

  it('shows gauges as they are read', async () => {
    expect(Object.fromEntries(await scrape())).toMatchObject({
      'parley_runs{state="waiting"}': 2,
      parley_queue_length: 4,
      parley_queue_oldest_seconds: 1.5,
      parley_streams: 5,
      parley_spilled_interactions: 6,
      parley_store_up: 1,
      'parley_dependency_up{dependency="redis"}': 1,
      'parley_dependency_up{dependency="tools of files"}': 0,
      'parley_requests_pending{kind="approval"}': 7,
      'parley_requests_oldest_seconds{kind="approval"}': 3_600,
      'parley_requests_pending{kind="input"}': 0,
    });
  });

  it('begins at 0, so that the growth to the first event is seen', async () => {
    expect(Object.fromEntries(await scrape())).toMatchObject({
      'parley_interactions_failed_total{code="crash_loop"}': 0,
      'parley_model_failures_total{model="demo/script",code="model_auth"}': 0,
      'parley_request_wait_seconds_count{kind="approval"}': 0,
      'parley_model_retries_total{model="demo/script"}': 0,
      'parley_tokens_total{model="demo/script",direction="output"}': 0,
      'parley_guardrail_trips_total{guardrail="secrets"}': 0,
      'parley_cost_usd_total{model="demo/script"}': 0,
      'parley_tool_seconds_count{tool="bash"}': 0,
      parley_takeovers_total: 0,
    });
  });

  it('keeps what tools have taken before and between scrapes', async () => {
    for (const count of [1, 2]) {
      emitTool(telemetry, 'bash');
      expect((await scrape()).get('parley_tool_seconds_count{tool="bash"}')).toBe(count);
    }
  });

  it('shows no requests while their number is unknown', async () => {
    await scrape();
    const names = [...(await scrape({ pending: undefined, store_up: false })).keys()];
    expect(names.filter((name) => name.startsWith('parley_requests_'))).toEqual([]);
    expect(names).toContain('parley_store_up');
  });

  it('counts models that only clients name together', async () => {
    for (const model of ['demo/script', 'made/up', 'made/up-too'])
      telemetry.emit('model_retried', { model });
    expect(Object.fromEntries(await scrape())).toMatchObject({
      'parley_model_retries_total{model="demo/script"}': 1,
      'parley_model_retries_total{model="other"}': 2,
    });
  });

  it.each([
    ['parley_tool_seconds_count', (name: string) => emitTool(telemetry, name)],
    ['parley_guardrail_trips_total', (name: string) => emitTrip(telemetry, name)],
    ['parley_http_request_seconds_count', (name: string) => emitAnswer(telemetry, name)],
  ])('bounds the labels of %s', async (metric, emit) => {
    for (let n = 0; n < 1_000; n++) emit(`name_${n}`);
    const series = [...(await scrape())].filter(([name]) => name.startsWith(metric));
    expect(series).toHaveLength(201);
    const counts = series.map(([, value]) => value);
    expect(counts.reduce((sum, count) => sum + count)).toBe(1_000);
  });

  it('counts the tools of clients together, and each status by its class', async () => {
    telemetry.emit('tool_returned', { tool: undefined, duration_ms: 1 });
    const route = 'GET /chats/:chat_id';
    for (const status of [200, 204, 404])
      telemetry.emit('http_answered', { route, status, duration_ms: 1 });
    telemetry.emit('http_answered', { route: undefined, status: 401, duration_ms: 1 });
    expect(Object.fromEntries(await scrape())).toMatchObject({
      'parley_tool_seconds_count{tool="other"}': 1,
      [`parley_http_request_seconds_count{route="${route}",status="2xx"}`]: 2,
      [`parley_http_request_seconds_count{route="${route}",status="4xx"}`]: 1,
      'parley_http_request_seconds_count{route="other",status="4xx"}': 1,
    });
  });

  it('has no other metrics of its own than those that are documented', async () => {
    const text = await metrics.scrape(READINGS);
    const names = [...text.matchAll(/^# TYPE (parley_\w+)/gm)].map(([, name]) => name!);
    expect(new Set(names)).toEqual(new Set(Object.keys(METRICS)));
  });
});

function emitTool(telemetry: Telemetry, tool: string): void {
  telemetry.emit('tool_returned', { tool, duration_ms: 1 });
}

function emitTrip(telemetry: Telemetry, guardrail: string): void {
  telemetry.emit('guardrail_tripped', { guardrail });
}

function emitAnswer(telemetry: Telemetry, route: string): void {
  telemetry.emit('http_answered', { route, status: 200, duration_ms: 1 });
}
