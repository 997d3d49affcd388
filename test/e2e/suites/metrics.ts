import { readSeries } from '../../support/metrics/read-series.js';
import type { Servers } from '../servers.js';

export function describeMetrics(servers: Servers): void {
  describe('A Prometheus that scrapes', () => {
    servers.run(
      {},
      (server) => {
        it('finds what the process did, each series with a type and a few labels', async () => {
          const usage = {
            ...{ prompt_tokens: 10, completion_tokens: 5 },
            prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
            completion_tokens_details: { reasoning_tokens: 2 },
          };
          server.fake.reply(
            { calls: [{ name: 'calculator', arguments: { expression: '6*7' } }], usage },
            { text: 'It is 42.' },
          );
          const reader = await server.api.say('measured', 'What is 6*7?');
          server.fake.reply({ status: 401, body: { error: { message: 'no such key' } } });
          const failed = await server.api.say('measured', 'And now?');
          const form = new FormData();
          form.set('file', new Blob(['12345']), 'a.txt');
          await server.api.send('POST', '/files', { form });
          const { status, headers, body } = await server.api.get('/metrics');
          expect(status).toBe(200);
          expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
          const series = readSeries(String(body));
          expect(Object.fromEntries(series)).toMatchObject({
            'parley_interactions_ended_total{status="COMPLETED"}': 1,
            'parley_interactions_failed_total{code="model_auth"}': 1,
            'parley_model_failures_total{model="openai/fake",code="model_auth"}': 1,
            'parley_model_turn_seconds_count{model="openai/fake"}': 2,
            'parley_tool_calls_total{outcome="ok"}': 1,
            'parley_tokens_total{model="openai/fake",direction="input"}': 20,
            parley_cached_tokens_total: 4,
            parley_cache_write_tokens_total: 3,
            parley_reasoning_tokens_total: 2,
            'parley_tool_seconds_count{tool="calculator"}': 1,
            parley_time_to_first_delta_seconds_count: 1,
            'parley_http_request_seconds_count{route="POST /files",status="2xx"}': 1,
            'parley_requests_pending{kind="approval"}': 0,
            parley_interactions_started_total: 2,
            parley_takeovers_total: 0,
            parley_queue_oldest_seconds: 0,
            parley_streams: expect.any(Number),
            'parley_runs{state="queued"}': 0,
            parley_store_up: 1,
            parley_files_added_total: 1,
            parley_file_bytes_added_total: 5,
            parley_file_store_failures_total: 0,
            parley_file_purges_pending: 0,
            parley_spilled_interactions: 0,
            // the starts are no appends
            parley_records_total: reader.records.length + failed.records.length - 2,
            process_resident_memory_bytes: expect.any(Number),
          });
          expect(series.get('parley_append_group_size_count')).toBeGreaterThan(0);
          expect(series.get('parley_store_commit_seconds_count')).toBeGreaterThan(0);
          expect(String(body)).not.toContain('measured');
        });
      },
      { isOwn: true },
    );
  });
}
