import type { RequestState } from '../../../client/index.js';
import { span, textOf } from '../../render/span.js';
import { draftOf, EMPTY_DRAFT } from '../../screen/editor.js';
import { RunningCalls } from '../../transcript/running-calls.js';
import { drawFooter } from './draw-footer.js';
import type { Situation } from './draw-footer.js';

const request = {
  ...{ id: 'approval_1', kind: 'approval', tool_name: 'bash' },
  tool_input: '{"command":"touch note.txt"}',
} as RequestState;
const SUBJECT = 'May bash run? touch note.txt';
const AT: Situation = {
  ...{ mode: { kind: 'approval', request }, draft: EMPTY_DRAFT, isBusy: true, pending: 1 },
  isRead: true,
  agents: [],
  ...{ live: [span('written')], running: new RunningCalls(), what: 'working', elapsed: 0 },
  ...{
    connection: undefined,
    linesAbove: 0,
    queued: 0,
    notes: 0,
    background: 0,
    hint: '',
    about: '',
  },
};

function footer(width: number, more: Partial<Situation> = {}): string[] {
  const { lines } = drawFooter({ ...AT, ...more }, { width });
  return lines.map(textOf);
}

describe(drawFooter.name, () => {
  it('names the keys of an approval on one line, below what happens', () => {
    expect(footer(79)).toEqual([
      ...['written', SUBJECT, '1 waiting for you  Esc cancels the answer'],
      'a approve  e edit  r reject  m remember  n next  space message',
    ]);
  });

  it('says how much of an approval is above the screen, and names the key that shows it', () => {
    expect(footer(79, { linesAbove: 96 })).toEqual([
      ...['written', SUBJECT, '1 waiting for you  96 lines above · Esc cancels the answer'],
      'a approve  e edit  r reject  v view  m remember  n next  space message',
    ]);
  });

  it('names no key of a request that has only just come', () => {
    expect(footer(79, { isRead: false })).toEqual(['written', '1 waiting for you', '› ']);
  });

  it.each([
    [
      'what is typed beside a request',
      { draft: draftOf('hello') },
      'Esc empties the input, then keys decide',
    ],
    ['a reason', { mode: { kind: 'reason', request } }, 'Esc goes back'],
  ] as const)('says that Esc takes away %s first', (_, more, advice) => {
    expect(footer(79, more)).toContain(`1 waiting for you  ${advice}`);
  });

  it.each([
    ['allows', true, 'd deny instead'],
    ['denies', false, 'a allow instead'],
  ])('names the key that turns a rule around which %s', (_, approved, other) => {
    const mode = { kind: 'remember', request, approved, isShown: true } as const;
    const keys = `c in this chat  g for this agent  w everywhere  ${other}  Esc back`;
    expect(footer(79, { mode }).at(-1)).toBe(keys);
  });

  it('leaves out keys, or the words of all, that have no room beside what they decide', () => {
    expect(footer(19)).toEqual([
      ...['bash? touch note.t…', 'a approve  e edit', 'r reject', 'm remember  n next'],
    ]);
    expect(footer(19, { linesAbove: 3 })).toEqual([
      ...['bash? touch note.t…', 'a approve  e edit', 'r reject  v view', 'm remember  n next'],
    ]);
    expect(footer(12)).toEqual(['bash? touch…', '1 waiting', 'a  e  r  m', 'n  space']);
  });

  it('names what is decided, however the request looks', () => {
    const tool_input = JSON.stringify({ command: `touch \u3164\u001B[2J${'x'.repeat(99)}` });
    const odd = { ...request, tool_name: 'ba\nsh', tool_input };
    const [subject] = footer(60, { mode: { kind: 'approval', request: odd } });
    expect(subject).toBe(`May ba sh run? touch ⟦U+3164⟧${'x'.repeat(30)}…`);
  });

  it('says at 20 columns how to decline a question', () => {
    const asked = { id: 'request_1', kind: 'input', question: 'Which colour, and why?' };
    const mode = { kind: 'question', request: asked as RequestState } as const;
    const lines = ['? Which colour, an…', '1 waiting for you', 'Ctrl-D declines', 'answer › '];
    expect(footer(19, { mode })).toEqual(lines);
  });
});
