import type { ChatStreamEvent, RecordEvent } from '../../client/index.js';
import { textOf } from '../render/span.js';
import { Transcript } from './transcript.js';

const view = { width: 60 };
const ids = { interaction_id: 'int_1', agent_id: 'agent_1', at: '2026-01-15T10:00:00.000Z' };
const by = { kind: 'user', user_id: 'ann' } as const;
let seq = 0;

/** A record of the root agent, unless its body names another one. */
function record(body: object): RecordEvent {
  return { ...ids, seq: ++seq, ...body } as RecordEvent;
}

function delta(type: string, block_id: string, text: string, agent_id = 'agent_1') {
  return { ...ids, agent_id, type, block_id, offset: 0, delta: text } as ChatStreamEvent;
}

function started(): RecordEvent {
  const rest = { chat_id: 'c', model: 'demo/script', parent_id: null };
  return record({ type: 'INTERACTION_STARTED', user_message: 'Hi', agent: 'react', ...rest });
}

const call = { id: 'call_1', block_id: 'b9', tool_name: 'bash', tool_input: '{"command":"ls"}' };
const approval = {
  ...{ type: 'APPROVAL_REQUIRED', approval_id: 'approval_1', tool_call_id: 'call_1' },
  ...{ tool_name: 'bash', tool_input: '{"command":"ls"}', action: 'Run a command: ls' },
  ...{ category: 'execute', risk: 'high', reason: 'No rule covers it.', expires_at: null },
};
const result = (tool_output: string) =>
  record({
    ...{ type: 'TOOL_RESULT', id: 'call_1', tool_name: 'bash', is_error: false, duration_ms: 14 },
    tool_output,
  });

function drawn(transcript: Transcript, ...events: ChatStreamEvent[]): string[] {
  for (const event of events) transcript.take(event);
  return transcript.takeLines(view).map(textOf);
}

describe(Transcript.name, () => {
  it('prints each line once, when it is final', () => {
    const transcript = new Transcript();
    expect(drawn(transcript, started())).toEqual(['› Hi']);
    expect(drawn(transcript, delta('TEXT_DELTA', 'b1', 'Hello **there'))).toEqual([]);
    expect(textOf(transcript.liveLine())).toBe('Hello there');
    const answer = { type: 'ANSWER', block_id: 'b1', content: 'Hello **there** friend' };
    expect(drawn(transcript, record(answer))).toEqual(['', 'Hello there friend']);
    expect(textOf(transcript.liveLine())).toBe('');
  });

  describe('of requests one at a time', () => {
    const second = {
      ...approval,
      approval_id: 'approval_2',
      tool_call_id: 'call_2',
      action: 'Two: ls',
    };
    const settled = (type: 'APPROVED' | 'REJECTED', id: string) =>
      record({ type, approval_id: id, tool_call_id: 'call_1', by });
    const titles = (lines: string[]) => lines.filter((line) => /│ |✓|✗/.test(line));

    it('prints one right below the verdict on the one before it', () => {
      const transcript = new Transcript(true);
      const lines = drawn(transcript, started(), record(approval), record(second));
      expect(titles(lines)).toEqual(['  │ Run a command: ls']);
      expect([...transcript.unprinted]).toEqual(['approval_2']);
      expect(transcript.linesBelow('approval_1')).toBe(0);
      const next = drawn(transcript, settled('APPROVED', 'approval_1'));
      expect(titles(next)).toEqual(['  ✓ approved by ann', '  │ Two: ls']);
      expect([...transcript.unprinted]).toEqual([]);
    });

    it('prints one that others have settled with its verdict', () => {
      const transcript = new Transcript(true);
      drawn(transcript, started(), record(approval), record(second));
      const lines = drawn(transcript, settled('REJECTED', 'approval_2'));
      expect(titles(lines)).toEqual(['  │ Two: ls', '  ✗ rejected by ann']);
    });

    it('prints the next one when a person puts one off, and that one again', () => {
      const transcript = new Transcript(true);
      drawn(transcript, started(), record(approval), record(second));
      transcript.showNext();
      expect(titles(drawn(transcript))).toEqual(['  │ Two: ls']);
      expect(transcript.linesBelow('approval_1')).toBeGreaterThan(0);
      transcript.showAgain('approval_1');
      expect(titles(drawn(transcript))).toEqual(['  │ Run a command: ls']);
      expect(transcript.linesBelow('approval_1')).toBe(0);
      transcript.countOthers(3);
      expect(transcript.linesBelow('approval_1')).toBe(3);
    });

    it('leaves none out when the interaction ends', () => {
      const transcript = new Transcript(true);
      drawn(transcript, started(), record(approval), record(second));
      const complete = record({ type: 'INTERACTION_COMPLETE', status: 'FAILED' });
      expect(titles(drawn(transcript, complete))).toEqual(['  │ Two: ls']);
    });
  });

  it('goes on after a record of a shape that it does not know', () => {
    const transcript = new Transcript();
    const odd = record({ ...approval, action: ['rm'] });
    const lines = drawn(transcript, started(), odd, result('done'));
    expect(lines.join('\n')).toMatch(/this terminal can not show\.[^]*done/);
  });

  it('says that a returned text stands in place of the printed answer', () => {
    const transcript = new Transcript();
    const answer = record({ type: 'ANSWER', block_id: 'b1', content: 'Yes.' });
    expect(drawn(transcript, started(), answer)).toEqual(['› Hi', '', 'Yes.']);
    const returned = { type: 'ANSWER', block_id: 'b2', content: 'Yes. (signed)', replaces: 'b1' };
    expect(drawn(transcript, record(returned))).toEqual([
      ...['', 'Yes. (signed)'],
      '  ↳ in place of the answer before it',
    ]);
  });

  it('ends a thought when its agent writes the answer', () => {
    const transcript = new Transcript();
    const lines = drawn(
      transcript,
      ...[started(), delta('THINKING_DELTA', 'b1', 'Well.'), delta('TEXT_DELTA', 'b2', 'So')],
    );
    expect(lines).toEqual(['› Hi', '', 'Well.']);
    expect(textOf(transcript.liveLine())).toBe('So');
    const thinking = record({ type: 'THINKING', block_id: 'b1', content: 'Well.' });
    const answer = record({ type: 'ANSWER', block_id: 'b2', content: 'So it is.' });
    expect(drawn(transcript, thinking, answer)).toEqual(['', 'So it is.']);
  });

  it('shows a call, its approval by another person, and its result', () => {
    const transcript = new Transcript();
    const decided = record({
      type: 'APPROVED',
      approval_id: 'approval_1',
      tool_call_id: 'call_1',
      by,
    });
    const events = [record({ type: 'TOOL_CALL', ...call }), record(approval), decided];
    expect(drawn(transcript, ...events, result('a\nb'))).toEqual([
      '● bash ls',
      '? May bash run? execute, high risk',
      '  │ Run a command: ls',
      '  No rule covers it.',
      '  ✓ approved by ann',
      '  └ a',
      '    b',
      '    (14 ms)',
    ]);
  });

  it.each([
    ['not again after it was approved', '--- a\n+++ a\n@@ -1 +1 @@\n-b\n+c\n', 0],
    ['if it is another one than was approved', '--- a\n+++ a\n@@ -1 +1 @@\n-b\n+d\n', 1],
  ])('shows the change that was made %s', (_, diff, times) => {
    const transcript = new Transcript();
    const action = 'Edit a\n--- a\n+++ a\n@@ -1 +1 @@\n-b\n+c';
    drawn(transcript, record({ ...approval, action }));
    const made = { ...result('Edited a.'), data: { diff } } as RecordEvent;
    const lines = drawn(transcript, made);
    expect(lines[0]).toContain('Edited a.');
    expect(lines.filter((line) => line.includes('@@'))).toHaveLength(times);
  });

  it('tells which requests wait behind a text that is being written', () => {
    const transcript = new Transcript();
    const other = delta('TEXT_DELTA', 'b1', 'Half of', 'agent_2');
    expect(drawn(transcript, other, record(approval))).toEqual([]);
    expect([...transcript.unprinted]).toEqual(['approval_1']);
    const done = { type: 'MESSAGE', block_id: 'b1', content: 'Half of it', agent_id: 'agent_2' };
    expect(drawn(transcript, record(done)).join()).toContain('May bash run?');
    expect(transcript.unprinted.size).toBe(0);
  });

  it('shows a question once', () => {
    const transcript = new Transcript();
    const asked = { ...call, tool_name: 'ask_human', tool_input: '{"question":"Why?"}' };
    const question = { type: 'INPUT_REQUIRED', request_id: 'r', tool_call_id: call.id };
    const events = [
      record({ type: 'TOOL_CALL', ...asked }),
      record({ ...question, question: 'Why?', expires_at: null }),
    ];
    expect(drawn(transcript, ...events)).toEqual(['? Why?']);
  });

  it('keeps the indent of what wraps at 20 columns', () => {
    const transcript = new Transcript();
    const done = 'Created the file: 2 lines';
    for (const event of [record(approval), result(done)]) transcript.take(event);
    const lines = transcript.takeLines({ ...view, width: 19 }).map(textOf);
    expect(lines).toEqual([
      ...['? May bash run?', '  execute, high', '  risk'],
      ...['  │ Run a command:', '  │ ls', '  No rule covers', '  it.'],
      ...['  └ Created the fi…', '    (14 ms)'],
    ]);
  });

  it('tells no tokens where none were counted', () => {
    const done = { type: 'INTERACTION_COMPLETE', status: 'CANCELLED' };
    const turn = record({ type: 'TURN_COMPLETED', usage: { input_tokens: 12, output_tokens: 3 } });
    const transcript = new Transcript();
    expect(drawn(transcript, started(), record(done)).at(-1)).toBe('  cancelled · 0 ms');
    expect(drawn(transcript, started(), turn, record(done)).at(-1)).toBe(
      '  cancelled · 0 ms · 12 in, 3 out',
    );
  });

  it('does not name the person at this terminal', () => {
    const transcript = new Transcript();
    transcript.settledHere('approval_1');
    const rejected = { type: 'REJECTED', approval_id: 'approval_1', tool_call_id: 'call_1', by };
    expect(drawn(transcript, record({ ...rejected, reason: 'no' }))).toEqual(['  ✗ rejected: no']);
  });

  it('shows eight lines of a long result, and keeps all of it', () => {
    const transcript = new Transcript();
    const output = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n');
    const lines = drawn(transcript, result(output));
    expect(lines).toHaveLength(9);
    expect(lines.at(-1)).toBe('    … 12 more lines, /output 1 (14 ms)');
    expect(transcript.results.at(-1)?.record.tool_output).toBe(output);
  });

  it('indents the texts of a child agent below its name', () => {
    const transcript = new Transcript();
    const child = { agent_id: 'agent_2', parent_agent_id: 'agent_1', agent_type: 'helper' };
    const lines = drawn(
      transcript,
      ...[started(), record({ type: 'AGENT_STARTED', prompt: 'Look.', ...child })],
      record({ type: 'MESSAGE', block_id: 'b3', content: 'Seen.', agent_id: 'agent_2' }),
      record({ type: 'ANSWER', block_id: 'b4', content: 'Done.' }),
    );
    expect(lines).toEqual(['› Hi', '', '● helper Look.', '', '  Seen.', '', 'Done.']);
  });

  it('says what a lost run has cut off', () => {
    const transcript = new Transcript();
    const resumed = record({ type: 'RESUMED', attempt: 1, reason: 'the process was lost' });
    expect(drawn(transcript, delta('TEXT_DELTA', 'b1', 'Half a'), resumed)).toEqual([
      'Half a',
      '… (cut off)',
      '',
      '  ! the process was lost; it goes on',
    ]);
  });

  it('sums up tokens, cost and time', () => {
    const transcript = new Transcript();
    const usage = {
      input_tokens: 1_200,
      output_tokens: 34,
      cached_tokens: 1_000,
      cost_usd: 0.0042,
    };
    const turn = { type: 'TURN_COMPLETED', model: 'demo/script', finish_reason: 'stop', usage };
    const at = '2026-01-15T10:00:02.500Z';
    const end = record({ type: 'INTERACTION_COMPLETE', status: 'COMPLETED', at });
    const lines = drawn(transcript, started(), record({ ...turn, duration_ms: 1 }), end);
    expect(lines.slice(-2)).toEqual([
      '  completed · 2.5 s · 1,200 in (1,000 cached), 34 out ·',
      '  $0.0042',
    ]);
  });

  it('takes control characters out of all that it shows', () => {
    const transcript = new Transcript();
    const evil = '\u001B[2J\u0007evil\u202E';
    const lines = drawn(
      transcript,
      ...[record({ type: 'ANSWER', block_id: 'b1', content: evil }), result(evil)],
      ...[record({ ...approval, action: evil, reason: evil, tool_name: evil })],
      ...[record({ type: 'NOTICE', code: 'x', message: evil })],
      ...[
        record({
          type: 'INPUT_REQUIRED',
          request_id: 'r',
          question: evil,
          options: [evil],
          expires_at: null,
        }),
      ],
      ...[record({ type: 'ERROR', code: evil, message: evil })],
    );
    expect(lines.join('\n')).toContain('evil⟦U+202E⟧');
    expect(lines.join('')).not.toMatch(/[\p{Control}\u202E]/u);
  });
});
