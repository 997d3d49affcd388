import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const REALM = new URL('../../src/tools/python/sandbox/realm.js', import.meta.url).href;

/** Evaluates expressions in the interpreter's world, with a function of the world outside. */
const PROBE = `
const { parentPort, workerData } = require('node:worker_threads');
const post = parentPort.postMessage.bind(parentPort);
import(workerData.realm).then(async ({ openContext, closeRealm }) => {
  const evaluate = openContext();
  const host = (text) => { if (text === 'throw') throw new RangeError('no'); return text; };
  closeRealm(globalThis);
  const left = Object.getOwnPropertyNames(globalThis);
  const probe = evaluate('(async (work, host) => { try { return String(await work(host)); } catch (error) { return error.name; } })', 'probe');
  const answers = [];
  for (const text of workerData.probes) answers.push(await probe(evaluate('(async (host) => ' + text + ')', 'probe'), host));
  post({ answers, left });
});`;

async function probe(probes: readonly string[]): Promise<{ answers: string[]; left: string[] }> {
  const worker = new Worker(PROBE, {
    eval: true,
    execArgv: [],
    workerData: { realm: REALM, probes },
  });
  const [found] = (await once(worker, 'message')) as [{ answers: string[]; left: string[] }];
  await worker.terminate();
  return found;
}

async function evaluate(probes: readonly string[]): Promise<string[]> {
  return (await probe(probes)).answers;
}

describe('the JavaScript world of the interpreter', () => {
  it('has nothing of Node or of the network', async () => {
    const names = [
      'process',
      'require',
      'Buffer',
      'fetch',
      'WebSocket',
      'XMLHttpRequest',
      'setTimeout',
      'global',
      'module',
    ];
    const answers = await evaluate(names.map((name) => `typeof ${name}`));
    expect(answers).toEqual(names.map(() => 'undefined'));
  });

  it.each([
    ['eval', 'eval("1")', 'EvalError'],
    ['a function of text', 'new Function("return 1")()', 'EvalError'],
    ['a function of text, by a constructor', '(() => {}).constructor("return 1")()', 'EvalError'],
    ['an async function of text', '(async () => {}).constructor("return 1")()', 'EvalError'],
    ['a module', 'import("node:fs")', 'TypeError'],
    ['the world outside, by a function of it', 'host.constructor("return process")()', 'TypeError'],
    [
      'the world outside, by its prototype',
      'Object.getPrototypeOf(host).constructor("return process")()',
      'TypeError',
    ],
    [
      'the world outside, by an error',
      '{ try { host("throw"); } catch (error) { return error.constructor.constructor("return process")(); } }',
      'TypeError',
    ],
    [
      'the world outside, by its objects',
      'host.__proto__.__proto__.constructor.constructor("return process")()',
      'TypeError',
    ],
  ])('makes no code of text: %s', async (_, expression, outcome) => {
    expect(await evaluate([expression])).toEqual([outcome]);
  });

  it('is in a world of which only harmless parts of the language are left', async () => {
    const { left } = await probe([]);
    for (const name of ['process', 'fetch', 'Function', 'eval', 'require', 'Buffer', 'WebAssembly'])
      expect(left).not.toContain(name);
    expect(left.length).toBeLessThan(30);
  });
});
