import { jest } from '@jest/globals';
import { ConfigError } from './config/config-error.js';
import { runProgram, UsageError } from './run-program.js';

describe(runProgram.name, () => {
  let output: string[];
  let exits: unknown[];

  beforeEach(() => {
    [output, exits] = [[], []];
    const write = (text: string | Uint8Array): boolean => output.push(String(text)) > 0;
    jest.spyOn(process.stdout, 'write').mockImplementation(write);
    jest.spyOn(process.stderr, 'write').mockImplementation(write);
    jest.spyOn(process, 'exit').mockImplementation((code) => exits.push(code) as never);
  });
  afterEach(() => jest.restoreAllMocks());

  const usage = 'Usage: test';
  const fail = (error: Error) => () => {
    throw error;
  };

  it('runs the command that it has read, and shows the result', async () => {
    const run = async (name: string): Promise<string> => `Hello ${name}.`;
    await runProgram({ usage, readCommand: () => 'Ann', run });
    expect([output, exits]).toEqual([['Hello Ann.\n'], []]);
  });

  it.each([
    ['arguments that it does not know', 'No such option.', 'No such option.\nUsage: test\n'],
    ['arguments that need no explanation', '', 'Usage: test\n'],
  ])('exits with 64 after %s', async (_, message, shown) => {
    const readCommand = fail(new Error(message));
    await runProgram({ usage, readCommand, run: async () => 'done' });
    expect([output, exits]).toEqual([[shown], [64]]);
  });

  it.each([
    [64, new UsageError('Too many.'), 'Too many.\nUsage: test\n'],
    [
      78,
      new ConfigError([{ variable: 'PORT', problem: 'is bad' }]),
      'Invalid configuration:\n  PORT: is bad\n',
    ],
    [1, new Error('No disk.'), 'No disk.\n'],
  ])('exits with %d when the work fails so', async (code, error, shown) => {
    await runProgram({ usage, readCommand: () => undefined, run: async () => fail(error)() });
    expect([output, exits]).toEqual([[shown], [code]]);
  });
});
