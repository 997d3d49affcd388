import { ModelError } from '../model-error.js';
import type { ModelEvent } from '../model-provider.js';
import { StreamedError } from '../errors/answer-errors.js';
import { finishReason } from './finish-reason.js';
import { TurnTraces } from './turn-traces.js';

function end(word: string, ...calls: string[]) {
  const events: ModelEvent[] = [];
  const scrub = (text: string): string => text.replaceAll('sk-secret', '[key]');
  const reason = finishReason(word, calls, new TurnTraces((event) => events.push(event), scrub));
  return {
    reason,
    told: events.flatMap((e) => ('message' in e && e.type === 'notice' ? [e] : [])),
  };
}

describe(finishReason.name, () => {
  it.each([
    ['stop', 'stop'],
    ['end_turn', 'stop'],
    ['eos_token', 'stop'],
    ['COMPLETE', 'stop'],
    ['max_tokens', 'length'],
    ['MAX_TOKENS', 'length'],
    ['model_length', 'length'],
    ['token_limit', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['pause_turn', 'length'],
    ['content-filter', 'content_filter'],
    ['SAFETY', 'content_filter'],
    ['sensitive', 'content_filter'],
    ['guardrail_intervened', 'content_filter'],
    ['refusal', 'content_filter'],
    ['content_filter: OTHER', 'content_filter'],
  ])('knows that %s means %s, whoever sends it', (word, reason) => {
    expect(end(word)).toEqual({ reason, told: [] });
  });

  it.each([
    ['stop', 'tool_calls'],
    ['tool-calls', 'tool_calls'],
    ['TOOL_CALL', 'tool_calls'],
    ['max_output_tokens', 'length'],
    ['blocklist', 'content_filter'],
  ])('of a turn with a call: %s means %s', (word, reason) => {
    expect(end(word, '{}').reason).toBe(reason);
  });

  it.each([
    'error',
    'insufficient_system_resource',
    'network_error',
    'abort',
    'MALFORMED_FUNCTION_CALL',
    'function_call_filter: MALFORMED_FUNCTION_CALL',
    'unexpected tool call',
    'cancelled',
  ])('takes %s for a failure of the server', (word) => {
    expect(() => end(word)).toThrow(StreamedError);
    expect(() => end(word, '{"a":1}')).toThrow(StreamedError);
  });

  it.each([
    ['over', []],
    ['constructor', []],
    ['OTHER', ['{"a":1}', '']],
  ])('keeps a turn that ends for the unknown reason %s, and says so', (word, calls) => {
    const { reason, told } = end(word, ...calls);
    expect(reason).toBe(calls.length > 0 ? 'tool_calls' : 'stop');
    expect(told).toMatchObject([
      { code: 'unknown_finish_reason', message: expect.stringContaining(`"${word}"`) },
    ]);
  });

  it.each(['{"a":', '"{', '[1'])('does not keep half a call behind one: %s', (json) => {
    expect(() => end('over', '{"a":1}', json)).toThrow(ModelError);
    expect(() => end('over', json)).toThrow(expect.objectContaining({ code: 'model_cut_off' }));
  });

  it('shows a bounded part of the reason, without secrets', () => {
    const [{ message } = { message: '' }] = end(`sk-secret${'x'.repeat(10_000)}`).told;
    expect(message).toContain('[key]');
    expect(message.length).toBeLessThan(300);
  });
});
