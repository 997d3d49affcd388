import { PythonTool } from '../../src/tools/python/python.tool.js';
import { ToolExecutor } from '../../src/tools/core/tool-executor.js';
import type { ToolExecution } from '../../src/tools/core/tool-executor.js';
import { ToolRegistry } from '../../src/tools/core/tool-registry.js';
import type { DiscoveryService } from '@nestjs/core';
import { SystemClock } from '../../src/kernel/clock.js';
import { toolContext } from '../../src/testing/tool-context.js';
import { PythonWorld } from './python-world.js';

const MEMORY_MB = 96;
const LIMITS = { toolTimeoutMs: 60_000, toolOutputLimit: 2_000 };
const TIMEOUT_MS = 3_000;

function megabytes(): number {
  return process.memoryUsage.rss() / 2 ** 20;
}

describe(`${PythonTool.name}, when a program knows no bounds`, () => {
  const world = new PythonWorld(MEMORY_MB, LIMITS);
  const registry = new ToolRegistry(undefined as unknown as DiscoveryService);
  const limits = { ...LIMITS, toolTimeoutMs: TIMEOUT_MS };
  const executor = new ToolExecutor(registry, limits, new SystemClock());

  beforeAll(async () => {
    registry.add(world.tool);
    await world.run('1');
  });

  afterAll(() => world.close());

  /** Within the time that a tool has. */
  async function runInTime(code: string): Promise<ToolExecution> {
    await world.interpreters.reserved();
    const call = { name: 'python', arguments: JSON.stringify({ code }) };
    return executor.execute(call, toolContext());
  }

  it.each([
    ['a text', `'x' * 10**9`, /MemoryError/],
    ['a text that no machine could hold', `'x' * 10**10`, /OverflowError/],
    ['a list', '[0] * 10**9', /MemoryError/],
    ['a list that grows', 'l = []\nwhile True: l.append("x" * 100_000)', /MemoryError/],
    ['bytes', 'bytearray(2**30)', /MemoryError/],
    ['a file', 'f = open("x", "wb")\nwhile True: f.write(b"x" * 1_000_000)', /No space left/],
    ['a file that is only long', 'open("x", "wb").truncate(2**30)', /No space left/],
    [
      'many files',
      'for i in range(1000):\n  with open(str(i), "wb") as f: f.write(b"x" * 1_000_000)',
      /No space left/,
    ],
    [
      'files that are gone',
      'import os\nfor i in range(1000):\n  with open("x", "wb") as f: f.write(b"x" * 1_000_000)\n  os.unlink("x")',
      /No space left/,
    ],
  ])('gives no more memory than there is to %s', async (_, code, output) => {
    const before = megabytes();
    const { text, is_error } = await world.run(code);
    expect(text).toMatch(output);
    expect(is_error).toBe(true);
    expect(megabytes() - before).toBeLessThan(3 * MEMORY_MB);
  });

  it('gives a program the memory that it may have', async () => {
    const { text } = await world.run(`len(bytearray(${(MEMORY_MB - 50) * 2 ** 20}))`);
    expect(text).toBe(String((MEMORY_MB - 50) * 2 ** 20));
  });

  it.each([
    ['in Python', 'def f(n): return f(n + 1)\nf(0)', /RecursionError/],
    [
      'past all limits',
      'import sys\nsys.setrecursionlimit(10**9)\ndef f(n): return f(n + 1)\nf(0)',
      /recursion was too deep|MemoryError|gave up/,
    ],
    [
      'in C',
      'x = []\nfor i in range(10**6): x = [x]\nrepr(x)',
      /recursion was too deep|RecursionError|gave up/,
    ],
  ])('survives a deep recursion %s', async (_, code, output) => {
    expect((await world.run(code)).text).toMatch(output);
  });

  it.each([
    ['a loop', 'print("begun")\nwhile True: pass'],
    ['a loop in C', 'print("begun")\n10 ** 10 ** 8'],
    ['a regular expression', 'import re\nprint("begun")\nre.match("(a+)+$", "a" * 60 + "b")'],
    ['a sleep', 'import time\nprint("begun")\ntime.sleep(10**9)'],
    [
      'a loop that catches everything',
      'print("begun")\nwhile True:\n  try:\n    while True: pass\n  except BaseException: pass',
    ],
  ])('stops %s in time, and keeps what was printed', async (_, code) => {
    const { output, is_error, still_running } = await runInTime(code);
    expect(output).toMatch(/took longer than 3000 ms.*begun/s);
    expect({ is_error, still_running }).toEqual({ is_error: true, still_running: undefined });
  });

  it('keeps head and tail of what is printed for ever, and holds no more', async () => {
    const before = megabytes();
    const { output } = await runInTime('print("begun")\nwhile True: print("x" * 1000)');
    expect(output).toMatch(/begun\nx{500}.*more than \d+ characters cut.*x{500}/s);
    expect(output.length).toBeLessThanOrEqual(2_000);
    expect(megabytes() - before).toBeLessThan(2 * MEMORY_MB);
  });

  it('bounds the value of the last expression', async () => {
    const patient = new ToolExecutor(registry, LIMITS, new SystemClock());
    const call = { name: 'python', arguments: JSON.stringify({ code: '"x" * 5_000_000' }) };
    const { output, truncated } = await patient.execute(call, toolContext());
    expect(output).toMatch(/^'x{500}.*cut.*x{500}/s);
    expect(output.length).toBeLessThanOrEqual(2_000);
    expect(truncated).toBe(true);
  });
});
