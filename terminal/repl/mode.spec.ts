import type { RequestState } from '../../client/index.js';
import { answerOf, MESSAGE, settleMode } from './mode.js';

const request = (id: string, kind: 'approval' | 'input' = 'approval'): RequestState => ({
  ...{ id, kind, status: 'pending', interaction_id: 'int_1', agent_id: 'agent_1' },
  ...{ expires_at: null, settlement: null },
});
const skipped = new Set<string>();

describe(settleMode.name, () => {
  it('takes requests one after the other', () => {
    const pending = [request('a'), request('b', 'input')];
    const first = settleMode({ mode: MESSAGE, pending, skipped, hasDraft: false });
    expect(first).toMatchObject({ kind: 'approval', request: { id: 'a' } });
    const second = settleMode({ mode: first, pending: [pending[1]!], skipped, hasDraft: false });
    expect(second).toMatchObject({ kind: 'question', request: { id: 'b' } });
    expect(settleMode({ mode: second, pending: [], skipped, hasDraft: false })).toBe(MESSAGE);
  });

  it('leaves a message that is being typed alone', () => {
    const pending = [request('a')];
    expect(settleMode({ mode: MESSAGE, pending, skipped, hasDraft: true })).toBe(MESSAGE);
  });

  it('passes over requests for later', () => {
    const pending = [request('a'), request('b')];
    const later = settleMode({ mode: MESSAGE, pending, skipped: new Set('a'), hasDraft: false });
    expect(later).toMatchObject({ request: { id: 'b' } });
  });
});

it('takes the number of an option for it', () => {
  const question = { ...request('a', 'input'), options: ['red', 'green'] };
  expect(['2', ' 1 ', '3', 'blue'].map((text) => answerOf(question, text))).toEqual([
    'green',
    'red',
    '3',
    'blue',
  ]);
});
