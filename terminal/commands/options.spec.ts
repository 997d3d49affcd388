import { readCommandLine } from './options.js';
import { UsageError } from './usage-error.js';

describe(readCommandLine.name, () => {
  it.each([
    [[], { name: 'chat', positionals: [] }],
    [['--continue'], { name: 'chat', values: { continue: true } }],
    [
      ['chat', 'hi', '--model', 'demo/script', '--yes'],
      { values: { model: 'demo/script', yes: true } },
    ],
    [['approve', 'approval_1', '--input', '{}'], { name: 'approve', values: { input: '{}' } }],
    [['log', 'a'], { name: 'log', positionals: ['a'] }],
  ])('reads %j', (args, expected) => {
    expect(readCommandLine(args)).toMatchObject(expected);
  });

  it('knows the version and the help', () => {
    expect([['--version'], ['--help'], ['chat', '-h']].map(readCommandLine)).toEqual([
      'version',
      'help',
      'help',
    ]);
  });

  it.each([
    [['talk']],
    [['chat', 'a', 'b']],
    [['chat', '--nope']],
    [['log']],
    [['inbox', '--yes']],
  ])('refuses %j, and says what to do', (args) => {
    expect(() => readCommandLine(args)).toThrow(UsageError);
    expect(() => readCommandLine(args)).toThrow(/parley /);
  });
});
