import type { StreamEvent } from '../../event-log/follow/stream-event.js';
import { AnswerText } from './answer-text.js';

const origin = { interaction_id: 'int_1', agent_id: 'root' };
const delta = (block_id: string, offset: number, text: string, agent_id = 'root'): StreamEvent => ({
  ...{ type: 'TEXT_DELTA', ...origin, agent_id, block_id, offset },
  delta: text,
});
const record = (body: object): StreamEvent =>
  ({ ...origin, seq: 1, at: '2026-01-15T10:00:00.000Z', ...body }) as StreamEvent;
const answer = (block_id: string, content: string) => record({ type: 'ANSWER', block_id, content });

describe(AnswerText.name, () => {
  it.each([
    [
      'deltas and their record',
      [delta('a', 0, 'One. T'), delta('a', 6, 'wo.'), answer('a', 'One. Two.')],
    ],
    ['a record alone', [answer('a', 'One. Two.')]],
    [
      'deltas that were sent twice',
      [delta('a', 0, 'One.'), delta('a', 0, 'One. Tw'), answer('a', 'One. Two.')],
    ],
    [
      'texts of others between',
      [
        delta('c', 0, 'Child. More.', 'child'),
        record({ type: 'THINKING', block_id: 't', content: 'Thought.' }),
        answer('a', 'One. Two.'),
        record({ type: 'MESSAGE', agent_id: 'child', block_id: 'c', content: 'Child. More.' }),
        record({ type: 'TOOL_RESULT', id: 'x', tool_output: 'Out.' }),
      ],
    ],
    [
      'a text that a retry leaves out',
      [
        delta('v', 0, 'Void'),
        record({ type: 'NOTICE', code: 'model_retried', message: '', void: ['v'] }),
        answer('a', 'One. Two.'),
      ],
    ],
    [
      'a text that a lost run left open',
      [delta('v', 0, 'Void'), record({ type: 'RESUMED' }), answer('a', 'One. Two.')],
    ],
    [
      'a message before',
      [record({ type: 'MESSAGE', block_id: 'm', content: 'One.' }), answer('a', 'Two.')],
    ],
  ])('gives the sentences of %s', (_, events) => {
    const text = new AnswerText('root');
    expect(events.flatMap((event) => text.take(event))).toEqual(['One.', 'Two.']);
  });

  it('leaves out the texts that were replaced', () => {
    const text = new AnswerText('root', new Set(['a']));
    const events = [delta('a', 0, 'One.'), answer('a', 'One.'), answer('b', 'Two.')];
    expect(events.flatMap((event) => text.take(event))).toEqual(['Two.']);
  });

  it('knows how the interaction ended', () => {
    const text = new AnswerText('root');
    expect(text.status).toBeUndefined();
    text.take(record({ type: 'INTERACTION_COMPLETE', status: 'CANCELLED' }));
    expect(text.status).toBe('CANCELLED');
  });
});
