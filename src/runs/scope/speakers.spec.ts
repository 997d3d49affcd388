import type { LogRecord } from '../../persistence/rows/log-record.js';
import { Speakers } from './speakers.js';

const by = { kind: 'user', user_id: 'amy' };
const approval = { approval_id: 'approval_1', tool_call_id: 'call_1' };

function speakersIn(body: object, hidden: object | null = null): readonly string[] {
  const speakers = new Speakers();
  speakers.apply({ body, hidden } as LogRecord);
  return speakers.all;
}

describe(Speakers.name, () => {
  it.each([
    ['an intervention', { type: 'AGENT_INTERVENED', by, user_comment: 'No.' }],
    ['an answer', { type: 'INPUT_RECEIVED', by, answer: 'Bonn' }],
    ['a reason', { type: 'REJECTED', by, ...approval, reason: 'Not now.' }],
    ['a changed input', { type: 'APPROVED', by, ...approval, modified_input: {} }],
  ])('are the authors of %s', (_, body) => {
    expect(speakersIn(body)).toEqual(['amy']);
  });

  it('are those who send results of calls', () => {
    expect(speakersIn({ type: 'TOOL_RESULT' }, { by })).toEqual(['amy']);
  });

  it.each([
    ['an approval', { type: 'APPROVED', by, ...approval }],
    ['a declined question', { type: 'INPUT_RECEIVED', by, answer: null }],
    ['a cancel', { type: 'CANCELLED', by }],
    ['the server', { type: 'AGENT_INTERVENED', by: { kind: 'system' } }],
  ])('are not the authors of %s, who have said nothing', (_, body) => {
    expect(speakersIn(body)).toEqual([]);
  });
});
