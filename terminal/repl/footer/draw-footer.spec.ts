import type { RequestState } from '../../../client/index.js';
import { span, textOf } from '../../render/span.js';
import { draftOf, EMPTY_DRAFT } from '../../screen/editor.js';
import { RunningCalls } from '../../transcript/running-calls.js';
import { drawFooter } from './draw-footer.js';
import type { Situation } from './draw-footer.js';

const request = { id: 'approval_1', kind: 'approval' } as RequestState;
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
      ...['written', '1 waiting for you  Esc cancels the answer'],
      'a approve  e edit  r reject  m remember  n next  space message',
    ]);
  });

  it('says how much of an approval is above the screen, and names the key that shows it', () => {
    expect(footer(79, { linesAbove: 96 })).toEqual([
      ...['written', '1 waiting for you  96 lines above · Esc cancels the answer'],
      'a approve  e edit  r reject  v view  m remember  n next  space message',
    ]);
  });

  it('names no key of a request that has only just come', () => {
    expect(footer(79, { isRead: false })).toEqual(['written', '1 waiting for you', '› ']);
  });

  it.each([
    ['what is typed beside a request', { draft: draftOf('hello') }, 'Esc empties the input'],
    ['a reason', { mode: { kind: 'reason', request } }, 'Esc goes back'],
  ] as const)('says that Esc takes away %s first', (_, more, advice) => {
    expect(footer(79, more)).toContain(`1 waiting for you  ${advice}`);
  });

  it.each([
    ['allows', true, 'd deny instead'],
    ['denies', false, 'a allow instead'],
  ])('names the key that turns a rule around which %s', (_, approved, other) => {
    const mode = { kind: 'remember', request, approved, isShown: true } as const;
    const keys = `c in this chat  g for this agent  e everywhere  ${other}  Esc back`;
    expect(footer(79, { mode }).at(-1)).toBe(keys);
  });

  it('wraps the keys at 20 columns, and leaves out the rest', () => {
    expect(footer(19)).toEqual([
      ...['a approve  e edit', 'r reject', 'm remember  n next', 'space message'],
    ]);
  });

  it('has room at 20 columns for the words of an approval above the screen', () => {
    expect(footer(19, { linesAbove: 3 })).toEqual([
      ...['a approve  e edit', 'r reject  v view', 'm remember  n next', 'space message'],
    ]);
  });

  it('names the keys alone where there is no room for their words', () => {
    expect(footer(12)).toEqual(['1 waiting', 'for you', 'a  e  r  m', 'n  space']);
  });

  it('says at 20 columns how to decline a question', () => {
    const mode = { kind: 'question', request } as const;
    const lines = ['written', '1 waiting for you', 'Ctrl-D declines', 'answer › '];
    expect(footer(19, { mode })).toEqual(lines);
  });
});
