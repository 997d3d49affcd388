import { describe, expect, it } from '@jest/globals';
import { splitAction } from './action';

describe(splitAction.name, () => {
  it('tells a diff from the sentence before it', () => {
    expect(splitAction('Write a (+1 −0 lines)\n--- /dev/null\n+++ a\n@@\n+x', {})).toEqual({
      text: 'Write a (+1 −0 lines)',
      diff: '--- /dev/null\n+++ a\n@@\n+x',
    });
  });

  it('tells a command from the sentence before it', () => {
    const action = 'Run a command (no network): echo a: b';
    const values = { command: 'echo a: b', other: 'b', timeout_ms: 3 };
    expect(splitAction(action, values)).toEqual({
      text: 'Run a command (no network):',
      code: 'echo a: b',
    });
  });

  it('leaves any other text whole', () => {
    expect(splitAction('Call x with {}', { a: 'b', c: '' })).toEqual({ text: 'Call x with {}' });
  });
});
