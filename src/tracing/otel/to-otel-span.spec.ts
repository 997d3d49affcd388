import { resourceFromAttributes } from '@opentelemetry/resources';
import { toOtelSpan } from './to-otel-span.js';
import type { Span } from '../../timeline/span.js';

const SECRET = 'what the tool read';

const AT = '2026-01-15T10:00:00.000Z';
const span: Span = {
  ...{ id: '1'.repeat(16), parent_id: null, kind: 'tool', name: 'read', agent_id: 'agent_1' },
  ...{ epoch: 1, started_at: AT, ended_at: AT, status: 'error', seq: 3 },
  error: { code: 'tool_failed', message: SECRET },
  events: [
    { name: 'model_retry', at: AT, seq: 1, message: 'The vendor is busy.' },
    { name: 'found', at: AT, seq: 2, message: SECRET },
    { name: 'deliberated', at: AT, seq: 3, message: SECRET },
  ],
};

function exported(withTexts: boolean, changes: Partial<Span> = {}) {
  return toOtelSpan(
    { ...span, ...changes },
    {
      interaction: { id: 'int_1', chat_id: 'chat', tenant_id: 'default' },
      trace: { trace_id: 'a'.repeat(32) },
      resource: resourceFromAttributes({}),
      withTexts,
    },
  );
}

describe(toOtelSpan.name, () => {
  it('has nothing that tools, agents or models said unless texts are taken', () => {
    const without = exported(false);
    expect(JSON.stringify(without)).not.toContain(SECRET);
    expect(without.status).toEqual({ code: 2 });
    expect(without.events.map(({ attributes }) => attributes!['message'])).toEqual([
      ...['The vendor is busy.', undefined, undefined],
    ]);
    expect(exported(true).status).toEqual({ code: 2, message: SECRET });
  });

  it('says why a model turn failed in any case', () => {
    const error = { code: 'model_overloaded', message: '529: overloaded' };
    const { status, attributes } = exported(false, { kind: 'model', name: 'openai/a', error });
    expect(status.message).toBe('529: overloaded');
    expect(attributes['error.type']).toBe('model_overloaded');
  });

  it('has the counts of a model turn that its vendor tells', () => {
    const usage = { input_tokens: 9, output_tokens: 4, cached_tokens: 3, cache_write_tokens: 2 };
    const { attributes } = exported(false, { kind: 'model', name: 'openai/a', usage });
    expect(attributes).toMatchObject({
      'gen_ai.usage.input_tokens': 9,
      'gen_ai.usage.output_tokens': 4,
      'gen_ai.usage.cache_read.input_tokens': 3,
      'gen_ai.usage.cache_creation.input_tokens': 2,
    });
    expect(attributes).not.toHaveProperty('gen_ai.usage.reasoning.output_tokens');
  });

  it('cuts names that clients and models make up', () => {
    const { name, attributes } = exported(true, { name: 'n'.repeat(10_000) });
    expect(name.length).toBeLessThanOrEqual(200);
    expect(String(attributes['gen_ai.tool.name']).length).toBeLessThanOrEqual(200);
  });
});
