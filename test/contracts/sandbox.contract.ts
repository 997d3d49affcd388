import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askPs } from '../../src/workspace/processes/process-table.js';
import { OrphanedProcesses } from '../../src/workspace/processes/orphaned-processes.js';
import type { ProcessTrace } from '../../src/workspace/processes/process-trace.js';
import { CommandWorld } from '../support/tools/command-world.js';
import type { SandboxUnderTest } from '../support/tools/sandboxes.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { findProcesses } from '../support/server/find-processes.js';

/** What holds for commands, whatever they are confined by. */
export function describeSandbox(sandbox: SandboxUnderTest): void {
  let world: CommandWorld;
  beforeEach(async () => {
    world = await CommandWorld.open(sandbox);
  });
  afterEach(() => world.close());
  /** Something to find a process by. */
  const name = () => `sleep 1${Math.random().toString().slice(2, 10)}`;

  it('runs a command in the workspace, which it may change', async () => {
    const { code, output } = await world.run('pwd; echo here > file; cat file');
    expect([code, output]).toEqual([0, `${world.workspace}\nhere\n`]);
    expect(await readFile(join(world.workspace, 'file'), 'utf8')).toBe('here\n');
  });

  it.each([0, 1, 42, 255])('tells the exit code %i', async (code) => {
    expect(await world.run(`exit ${code}`)).toMatchObject({ code, output: '' });
  });

  it('keeps output and errors in the order in which they were written', async () => {
    const script =
      'for i in $(seq 200); do echo o$i; echo e$i >&2; done; echo x > /dev/stderr; echo y > /dev/stdout';
    const lines = Array.from({ length: 200 }, (_, n) => `o${n + 1}\ne${n + 1}\n`);
    expect((await world.run(script)).output).toBe(`${lines.join('')}x\ny\n`);
  });

  it('has an empty input and no terminal', async () => {
    expect(await world.run('cat; test -t 0 || test -t 1 || echo none')).toMatchObject({
      code: 0,
      output: 'none\n',
    });
  });

  it('passes on no secret, and says where home is', async () => {
    const { output } = await world.run('env');
    const names = output
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(output).not.toContain('secret');
    expect(output).toMatch(/^HOME=\/.*\/parley-commands-\w+\/home$/m);
    expect(names.filter((variable) => !KNOWN.includes(variable!))).toEqual([]);
  });

  it('takes text as it is', async () => {
    const text = `'"$x\`\\ ü 🎉 *;&|\n\t#!`;
    await writeFile(join(world.workspace, 'text'), text);
    expect((await world.run(`printf %s ${quoted(text)}; cat text`)).output).toBe(text + text);
  });

  it('begins only after the log knows of it, and not at all where it can not', async () => {
    const failed = world.run('touch began', {
      beforeStart: () => Promise.reject(new Error('no log')),
    });
    await expect(failed).rejects.toThrow('no log');
    let files = '';
    const beforeStart = async () => void (files = (await world.run('ls')).output);
    await world.run('touch began', { beforeStart });
    expect(files).toBe('');
    expect((await world.run('ls')).output).toBe('began\n');
  });

  it('is not begun when it was stopped before', async () => {
    const { stopped, output } = await world.run('echo began', { signal: AbortSignal.abort() });
    expect([stopped, output]).toEqual(['aborted', '']);
  });

  it('can be stopped, asks first, and shows what came of that', async () => {
    const ran = await world.stopAfter(
      'trap "echo bye; exit 7" TERM; echo on; while :; do sleep 0.05; done',
      'on',
    );
    expect(ran.stopped).toBe('aborted');
    expect(ran.output).toMatch(/^on\n(?:Terminated\n)?bye\n$/); // a shell may tell of its own child
  });

  it.each([
    ['a child', (sleep: string) => sleep],
    ['one that ignores being asked', (sleep: string) => `trap "" TERM; ${sleep}; ${sleep}`],
    ['children of children', (sleep: string) => `(${sleep} & (${sleep}; true); true); true`],
    ['one of a session of its own', (sleep: string) => `setsid ${sleep}; true`],
    ['one whose parent is gone', (sleep: string) => `(setsid ${sleep} &) ; ${sleep}`],
    ['one that is halted', (sleep: string) => `${sleep} & kill -STOP $!; wait`],
    ['one that closed its output', (sleep: string) => `${sleep} >/dev/null 2>&1 & wait`],
  ])('leaves nothing running when it is stopped: %s', async (_, made) => {
    const sleep = name();
    const ran = world.stopAfter(`echo on; ${made(sleep)}`, 'on');
    expect(await ran).toMatchObject({ stopped: 'aborted' });
    expect(await findProcesses(sleep)).toEqual([]);
  });

  it.each([
    ['holds the output', (sleep: string) => `${sleep} &`],
    ['has a session of its own', (sleep: string) => `setsid ${sleep} >/dev/null 2>&1 & echo`],
    ['has no parent and no environment', (sleep: string) => `(env -i ${sleep} &)`],
  ])(
    'ends when its first process does, with what it left in the background: %s',
    async (_, made) => {
      const sleep = name();
      const { code, stopped } = await world.run(`${made(sleep)}\nexit 3`);
      expect([code, stopped]).toEqual([3, undefined]);
      expect(await findProcesses(sleep)).toEqual([]);
    },
  );

  it('bounds how many processes there are, and ends them', async () => {
    const sleep = name();
    const most = watchMost(sleep);
    // Ten generations of two children each and no more: a bomb that ends by itself.
    const script = `f() { if (($1 > 0)); then f $(($1 - 1)) & f $(($1 - 1)) & fi; exec ${sleep}; }; f 10`;
    const { code, stopped } = await world.run(
      `timeout -s KILL 5 bash -c ${quoted(script)} 2>/dev/null`,
    );
    expect(stopped ?? code).not.toBe(0);
    expect(most.stop()).toBeLessThan(700);
    expect(await findProcesses(sleep)).toEqual([]);
  });

  it('takes in endless output without keeping it', async () => {
    const stop = new AbortController();
    let bytes = 0;
    const beforeStart = () => Promise.resolve();
    const before = memoryHeld();
    let after = 0;
    const end = await world['runner'].run(['yes'], {
      ...{ cwd: world.workspace, signal: stop.signal, beforeStart },
      onOutput: (chunk) => {
        if ((bytes += chunk.length) < 20_000_000 || stop.signal.aborted) return;
        after = memoryHeld();
        stop.abort();
      },
    });
    expect(end.stopped).toBe('aborted');
    expect(bytes).toBeGreaterThan(20_000_000);
    expect(after - before).toBeLessThan(10_000_000);
  });

  it('leaves a trace by which another process finds what is left, and ends it', async () => {
    const sleep = name();
    let trace: ProcessTrace | undefined;
    const cleared = new Promise<boolean>((resolve) => {
      const onOutput = () => void new OrphanedProcesses().kill(trace).then(resolve);
      const beforeStart = async (made: ProcessTrace | undefined) => void (trace = made);
      void world.run(`echo on; (setsid ${sleep} &); ${sleep}`, { onOutput, beforeStart });
    });
    expect(await cleared).toBe(true);
    expect(await findProcesses(sleep)).toEqual([]);
    expect(await new OrphanedProcesses().kill({ ...trace, host: 'elsewhere' })).toBe(false);
    expect(await new OrphanedProcesses().kill(null)).toBe(false);
  });

  it('takes no process for its own whose pid was another’s before', async () => {
    let trace: ProcessTrace | undefined;
    const stop = new AbortController();
    const beforeStart = async (made: ProcessTrace | undefined) => void (trace = made);
    const onOutput = async () => {
      const later = {
        ...trace!,
        started_at: trace!.started_at - 1,
        marker: 'PARLEY_PROCESS=other',
      };
      await new OrphanedProcesses().kill(later);
      expect((await askPs()).some(({ pid }) => pid === trace!.pid)).toBe(true);
      stop.abort();
    };
    const ran = await world.run('echo on; sleep 1000', {
      ...{ signal: stop.signal, beforeStart },
      onOutput: () => void onOutput(),
    });
    expect(ran.stopped).toBe('aborted');
  });
}

const KNOWN = [
  ...['PATH', 'HOME', 'PWD', 'OLDPWD', 'SHLVL', '_', 'TERM', 'NO_COLOR', 'PAGER', 'GIT_PAGER'],
  ...['XDG_CACHE_HOME', 'npm_config_cache', 'GOPATH', 'CARGO_HOME'],
  ...['GIT_TERMINAL_PROMPT', 'PARLEY_PROCESS', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_COUNT'],
  ...['GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0', 'GIT_CONFIG_KEY_1', 'GIT_CONFIG_VALUE_1'],
];

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The most processes with this in their command line that there were at once. */
function watchMost(part: string) {
  let most = 0;
  let isOver = false;
  const look = async () => {
    most = Math.max(most, (await findProcesses(part)).length);
    if (!isOver) setTimeout(() => void look(), 100);
  };
  void look();
  return {
    stop(): number {
      isOver = true;
      return most;
    },
  };
}

/** Bytes, in and out of the heap. */
function memoryHeld(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
