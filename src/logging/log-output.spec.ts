import { EventEmitter } from 'node:events';
import { quiet } from '../../test/support/quiet.js';
import { LogOutput } from './log-output.js';

/** As `process.stdout`, which an error does not end. */
class Stdout extends EventEmitter {
  readonly written: string[] = [];
  fault: string | undefined;

  write(text: string, done: (error?: Error | null) => void): boolean {
    const error = this.fault && Object.assign(new Error(this.fault), { code: this.fault });
    if (!error) this.written.push(text);
    process.nextTick(() => {
      done(error || null);
      if (error) this.emit('error', error);
    });
    return true;
  }
}

describe(LogOutput.name, () => {
  let stdout: Stdout;
  let output: LogOutput;

  beforeEach(() => {
    stdout = new Stdout();
    output = new LogOutput(stdout, (lost, code) => output.write(`lost ${lost}: ${code}\n`));
  });

  const write = async (...lines: string[]): Promise<void> => {
    for (const line of lines) output.write(`${line}\n`);
    await quiet(undefined);
  };

  it.each(['EPIPE', 'ENOSPC', 'EIO'])(
    'goes on after %s, and says how much was lost',
    async (code) => {
      await write('a');
      stdout.fault = code;
      await write('b', 'c');
      await write('d');
      stdout.fault = undefined;
      await write('e', 'f');
      await write('g');
      // A full disk may have taken a part of a line, which must not run into the next.
      expect(stdout.written).toEqual(['a\n', 'e\n', 'f\n', `\nlost 3: ${code}\n`, 'g\n']);
    },
  );

  it('keeps the count when the line that tells of it is lost too', async () => {
    stdout.fault = 'ENOSPC';
    await write('a', 'b');
    stdout.fault = undefined;
    output.write('c\n');
    stdout.fault = 'ENOSPC';
    await quiet(undefined);
    stdout.fault = undefined;
    await write('d');
    expect(stdout.written).toEqual(['c\n', 'd\n', '\nlost 2: ENOSPC\n']);
  });

  it('tells of each time anew', async () => {
    for (const code of ['EPIPE', 'ENOSPC']) {
      stdout.fault = code;
      await write('a');
      stdout.fault = undefined;
      await write('b');
    }
    expect(stdout.written).toEqual(['b\n', '\nlost 1: EPIPE\n', 'b\n', '\nlost 1: ENOSPC\n']);
  });

  it('leaves errors of a stream that took each line to its owner', async () => {
    await write('a');
    expect(stdout.listenerCount('error')).toBe(0);
  });
});
