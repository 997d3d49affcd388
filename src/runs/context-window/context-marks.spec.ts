import type { Message } from '../../protocol/message.js';
import type { ContextMark } from './context-marks.js';
import { findMark, newestMarks, digestMessages } from './context-marks.js';

const CALL = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } } as const;
const MESSAGES: readonly Message[] = [
  { role: 'user', content: 'Look' },
  { role: 'assistant', content: null, tool_calls: [CALL] },
  { role: 'tool', tool_call_id: 'c1', content: 'A tree' },
  { role: 'assistant', content: 'A tree' },
];

function markFrom(from: number): ContextMark {
  const digest = digestMessages(MESSAGES.slice(0, from));
  return { from, summary: null, references_before: 0, digest };
}

describe(findMark.name, () => {
  it('finds the newest that is about the conversation', () => {
    const marks = [markFrom(0), markFrom(1), { ...markFrom(3), digest: 'of another' }];
    expect(findMark(marks, MESSAGES)).toBe(marks[1]);
  });

  it('passes over one that would send results without their calls (I8)', () => {
    expect(findMark([markFrom(2)], MESSAGES)).toBeUndefined();
    expect(findMark([markFrom(3)], MESSAGES)?.from).toBe(3);
  });

  it('looks at few, however many an imported log has', () => {
    const marks = Array.from({ length: 10_000 }, () => markFrom(1));
    expect(newestMarks(marks).length).toBeLessThan(100);
  });
});
