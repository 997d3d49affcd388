import fc from 'fast-check';
import type { Delta } from '../../protocol/events.js';
import { BlockWriter } from './block-writer.js';
import type { BlockOptions } from './block-writer.js';
import type { RunLog } from './run-log.js';
import { runs } from '../../../test/support/thoroughness.js';

const TEXT: BlockOptions = { agent_id: 'agent_root', type: 'TEXT_DELTA' };
const HIGH = '\ud83e';
const LOW = '\udd9c';

describe(BlockWriter.name, () => {
  let sent: Delta[];
  const log = {
    newBlockId: () => '1b0',
    delta: (_agent: string, delta: Delta) => void sent.push(delta),
  } as Partial<RunLog> as RunLog;
  beforeEach(() => (sent = []));

  it('sends what comes with its offset', () => {
    const block = new BlockWriter(log, TEXT);
    for (const text of ['Hel', 'lo', '!']) block.push(text);
    expect(sent).toEqual([
      { type: 'TEXT_DELTA', block_id: '1b0', offset: 0, delta: 'Hel' },
      { type: 'TEXT_DELTA', block_id: '1b0', offset: 3, delta: 'lo' },
      { type: 'TEXT_DELTA', block_id: '1b0', offset: 5, delta: '!' },
    ]);
    expect(block.text).toBe('Hello!');
  });

  it('names the tool call that it is about', () => {
    new BlockWriter(log, { ...TEXT, type: 'TOOL_INPUT_DELTA', tool_call_id: 'call_1' }).push('{');
    expect(sent[0]).toMatchObject({ type: 'TOOL_INPUT_DELTA', tool_call_id: 'call_1' });
  });

  it('keeps the first half of a pair until the second comes', () => {
    const block = new BlockWriter(log, TEXT);
    block.push(`a${HIGH}`);
    block.push('');
    expect(sent.map(({ delta }) => delta)).toEqual(['a']);
    block.push(`${LOW}b`);
    expect(sent.map(({ offset, delta }) => [offset, delta])).toEqual([
      [0, 'a'],
      [1, '🦜b'],
    ]);
  });

  it('knows a half that never became a pair', () => {
    const block = new BlockWriter(log, TEXT);
    block.push(`a${HIGH}`);
    expect(block.text).toBe(`a${HIGH}`);
    expect(sent.map(({ delta }) => delta)).toEqual(['a']);
  });

  it('tells nobody when it is silent, and knows its text all the same', () => {
    const block = new BlockWriter(log, { ...TEXT, silent: true });
    block.push('secret');
    expect(sent).toEqual([]);
    expect(block.text).toBe('secret');
  });

  it('never cuts a pair, wherever the model cuts its text', () => {
    const units = fc.array(fc.constantFrom('a', 'é', HIGH, LOW, '🦜', '', '\u0000'));
    const property = fc.property(fc.array(units), (chunks) => {
      sent = [];
      const block = new BlockWriter(log, TEXT);
      for (const chunk of chunks) block.push(chunk.join(''));
      const text = chunks.flat().join('');
      expect(block.text).toBe(text);
      expect(text.startsWith(sent.map(({ delta }) => delta).join(''))).toBe(true);
      let at = 0;
      for (const { offset, delta } of sent) {
        expect(offset).toBe(at);
        expect(delta).not.toBe('');
        at += delta.length;
        expect(isInsidePair(text, at)).toBe(false);
      }
      expect(text.length - at).toBeLessThanOrEqual(1);
    });
    fc.assert(property, { numRuns: runs(500) });
  });
});

function isInsidePair(text: string, at: number): boolean {
  return /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '');
}
