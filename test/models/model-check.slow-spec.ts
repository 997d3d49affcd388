import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startCapableModel } from '../support/model/capable-model.js';
import type { Lacks } from '../support/model/capable-model.js';
import { builtServer } from '../support/server/built-server.js';

const run = promisify(execFile);

interface Result {
  readonly check: string;
  readonly state: string;
  readonly detail: string;
}

interface Checked {
  readonly code: number;
  readonly results: Readonly<Record<string, Result>>;
}

describe('npm run models -- check', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-checks-'));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('finds everything in a model that can do everything, and leaves nothing behind', async () => {
    const { code, results } = await check({});
    expect(Object.values(results).filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(Object.keys(results)).toEqual([
      ...['text', 'usage', 'tool_call', 'parallel_calls', 'tool_results', 'reasoning', 'images'],
      ...['structured_output', 'cancel', 'too_long'],
    ]);
    expect(code).toBe(0);
    expect(await readdir(folder)).toEqual([]);
  });

  it('exits with 0 if only comforts are missing, and names each', async () => {
    const { code, results } = await check({
      ...{ parallel: true, images: true, schema: true, usage: true, thinking: true, limit: true },
    });
    expect(Object.values(results).filter(({ state }) => state === 'no')).toMatchObject([
      { check: 'usage' },
      { check: 'parallel_calls', detail: '1 of 3 calls came in one turn.' },
      { check: 'reasoning' },
      { check: 'images', detail: 'Says "Blue." of a red image.' },
      { check: 'structured_output' },
      { check: 'too_long' },
    ]);
    expect(code).toBe(0);
  });

  it.each<[string, Lacks, readonly string[]]>([
    [
      'can’t call tools',
      { tools: true },
      ['tool_call', 'parallel_calls', 'tool_results', 'reasoning'],
    ],
    ['does not escape arguments', { escaping: true }, ['tool_call']],
  ])('exits with 1 for a model that %s', async (_, lacks, missing) => {
    const { code, results } = await check(lacks, '--skip', 'too_long');
    const without = Object.values(results).filter(({ state }) => state !== 'ok');
    expect(without.map((result) => result.check)).toEqual(missing);
    expect(code).toBe(1);
  });

  it('shows what an endpoint refuses with', async () => {
    const fake = await startCapableModel();
    const body = { error: { message: 'The model is not loaded.', code: 'not_loaded' } };
    fake.otherwise({ status: 404, body });
    const { code, said } = await command(fake.baseUrl, '--only', 'text');
    await fake.stop();
    expect(said).toMatch(/^openai\/fake\ntext +failed +\d+\.\d s .*The model is not loaded\./);
    expect(code).toBe(1);
  });

  it('waits out the retries of an endpoint that is not there', async () => {
    const { code, said } = await command('http://127.0.0.1:9/v1', '--only', 'text');
    expect(said).toMatch(/text +failed .*model_unreachable/);
    expect(said).toMatch(/\(model_retry: .*Trying again in/);
    expect(code).toBe(1);
  });

  it('says how it is used', async () => {
    const { code, said } = await command('http://127.0.0.1:9/v1', '--only', 'magic');
    expect(said).toMatch(/^There is no check called "magic"\.\nUsage:/);
    expect(code).toBe(64);
  });

  async function check(lacks: Lacks, ...args: string[]): Promise<Checked> {
    const fake = await startCapableModel(lacks);
    const { code, said } = await command(fake.baseUrl, '--json', ...args);
    await fake.stop();
    const results = said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Result);
    return { code, results: Object.fromEntries(results.map((result) => [result.check, result])) };
  }

  async function command(url: string, ...args: string[]): Promise<{ code: number; said: string }> {
    const program = await builtServer('dist/src/models.js');
    const env = { PATH: process.env['PATH'], OPENAI_BASE_URL: url, TMPDIR: folder };
    const given = [program, 'check', 'openai/fake', ...args];
    try {
      const { stdout } = await run(process.execPath, given, { env, cwd: folder });
      return { code: 0, said: stdout };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, said: stdout + stderr };
    }
  }
});
