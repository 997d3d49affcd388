import { setImmediate } from 'node:timers/promises';
import { Interpreter } from '../../src/tools/python/interpreter.js';
import { PythonTool } from '../../src/tools/python/python.tool.js';
import { PythonWorld } from './python-world.js';
import { some } from '../support/thoroughness.js';

const ANSWERS: readonly (readonly [string, string, string])[] = [
  ['the value of the last expression', '6 * 7', '42'],
  [
    'what is printed, errors too, and then the value',
    `import sys\nprint('a')\nprint('b', file=sys.stderr)\n'c'`,
    "a\nb\n'c'",
  ],
  ['no value when it is None', 'print(1)\nNone', '1'],
  ['that there is none', 'x = 1', '(no output)'],
  ['text of any language', `print('Grüße, 世界 🎉')`, 'Grüße, 世界 🎉'],
  ['half a character as an escape', `print('\\ud83d')`, '\\ud83d'],
  [
    'what asyncio does',
    'import asyncio\nasync def f():\n  await asyncio.sleep(0.01)\n  return 5\nasyncio.run(f())',
    '5',
  ],
];

const ENDS: readonly (readonly [string, string, RegExp, boolean])[] = [
  ['a fault of grammar', 'x = = 1', /line 1\n.*SyntaxError: invalid syntax$/s, true],
  ['leaving', 'import sys\nprint(1)\nsys.exit()', /^1$/, false],
  ['leaving with a complaint', 'import sys\nsys.exit("no input")', /^no input$/, true],
  ['leaving at once', 'import os\nos._exit(3)', /exit code 3/, true],
  ['an abort', 'import os\nos.abort()', /The interpreter was stopped/, true],
];

describe(PythonTool.name, () => {
  const world = new PythonWorld();

  afterAll(() => world.close());

  it.each(some(ANSWERS, 3))('answers %s', async (_, code, output) => {
    expect(await world.run(code)).toEqual({ text: output, is_error: false, truncated: false });
  });

  it('tells of an exception where in the program it was raised, and of nothing below', async () => {
    const code = `def half(x):\n    return x / 0\ntry:\n    half(1)\nexcept ZeroDivisionError as error:\n    raise ValueError('no half') from error`;
    const { text, is_error } = await world.run(code);
    expect(is_error).toBe(true);
    expect(text).toMatch(
      /^Traceback .*File "<python>", line 2, in half\n +return x \/ 0\n.*direct cause.*ValueError: no half$/s,
    );
    expect(text).not.toContain('parley');
  });

  it.each(some(ENDS, 3))('tells of %s', async (_, code, output, is_error) => {
    const answer = await world.run(code);
    expect(answer.text).toMatch(output);
    expect(answer.is_error).toBe(is_error);
  });

  it('shows what is printed while the program runs, in order', async () => {
    const cancel = new AbortController();
    let shown = '';
    const code =
      'import sys, time\nprint("one")\nprint("two ", end="", file=sys.stderr)\nprint("ü", end="")\ntime.sleep(3600)';
    const { text, is_error } = await world.run(code, {
      signal: cancel.signal,
      output: (part) => {
        shown += part;
        if (shown.endsWith('ü')) cancel.abort();
      },
    });
    expect(shown).toBe('one\ntwo ü');
    expect(text).toMatch(/^one\ntwo ü\n\[The program was stopped/);
    expect(is_error).toBe(true);
  });

  it('gives the same call the same random numbers, and another call others', async () => {
    const code =
      'import os, random, uuid, secrets\n[random.random(), os.urandom(8), uuid.uuid4(), uuid.uuid1(), secrets.token_hex(), hash("a"), list({"a", "b", "c"})]';
    const ids = ['call_a', 'call_a', 'call_b'];
    const [first, again, other] = await Promise.all(
      ids.map((tool_call_id) => world.run(code, { tool_call_id })),
    );
    expect(first!.is_error).toBe(false);
    expect(again).toEqual(first);
    expect(other!.text).not.toBe(first!.text);
  });

  it('has a clock that starts when the call began, and moves with what it waits for', async () => {
    const times = [1_700_000_000_000, 1_700_000_100_000];
    const { text } = await world.run(
      'import time\nfrom datetime import datetime\na = time.time()\nfirst = datetime.now().isoformat()[:19]\ntime.sleep(0.05)\nb = time.time()\nask("?")\n[int(a), first, round(b - a, 2), int(time.time()), time.time() < time.time()]',
      { now: () => Promise.resolve(times[0]!), ask: () => Promise.resolve((times.shift(), 'yes')) },
    );
    expect(text).toBe("[1700000000, '2023-11-14T22:13:20', 0.05, 1700000100, True]");
  });

  it('has an interpreter in reserve for whoever comes after the first', async () => {
    await world.run('1');
    await world.interpreters.reserved();
    const started = setImmediate(); // no process, thread or file answers before that
    const taken = await Promise.race([world.interpreters.take('chat'), started]);
    expect(taken).toBeInstanceOf(Interpreter);
    await world.interpreters.discard(taken as Interpreter, 'chat');
  });

  it('starts nothing before it is wanted, and nothing once it is over', async () => {
    const idle = new PythonWorld();
    await idle.close();
    const { message } = (await idle.run('1').catch((error: Error) => error)) as Error;
    expect(message).toBe('The server is stopping.');
  });
});
