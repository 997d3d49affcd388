import { drawDefinitions } from './definitions.js';
import { textOf } from './span.js';

describe(drawDefinitions.name, () => {
  const entries = [
    { name: '/help', text: 'this list' },
    { name: '', text: '' },
    { name: '@path#10-20', text: 'attaches a file, or lines of it' },
  ];
  const at = (width: number): string[] => drawDefinitions(entries, { width, sgr: '' }).map(textOf);

  it('sets texts beside their names, over the whole width', () => {
    expect(at(44)).toEqual([
      '/help        this list',
      '',
      '@path#10-20  attaches a file, or lines of it',
    ]);
    expect(at(40).slice(2)).toEqual([
      '@path#10-20  attaches a file, or lines',
      '             of it',
    ]);
  });

  it('sets texts below their names where there is little room', () => {
    expect(at(19)).toEqual([
      ...['/help', '  this list', '', '@path#10-20'],
      ...['  attaches a file,', '  or lines of it'],
    ]);
  });
});
