import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startCapableModel } from '../support/model/capable-model.js';
import type { Lacks } from '../support/model/capable-model.js';
import { startCapableVendor } from '../support/model/capable-vendors.js';
import type { CapableVendorName } from '../support/model/capable-vendors.js';
import { builtServer } from '../support/server/built-server.js';

const run = promisify(execFile);

interface Result {
  readonly check: string;
  readonly state: string;
  readonly detail: string;
  readonly notices: readonly string[];
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

  describe.each<[CapableVendorName, readonly string[], number]>([
    ['openai', ['reasoning'], 1],
    ['deepseek', ['images'], 2],
    ['kimi', [], 0],
    ['gemini', ['reasoning'], 0],
    ['mistral', ['reasoning'], 2],
    ['groq', ['images'], 1],
    ['vllm', ['images'], 0],
    ['ollama', ['parallel_calls', 'reasoning', 'images', 'too_long'], 0],
    ['anthropic', [], 0],
    ['anthropic_dressed', ['reasoning'], 2],
  ])('at an endpoint as that of %s', (name, missing, refusals) => {
    it('says what it can’t do, and adapts to what it refuses', async () => {
      const fake = await startCapableVendor(name);
      const { code, said } = await command(fake.baseUrl, '--json');
      await fake.stop();
      const results = resultsIn(said);
      const without = Object.values(results).filter(({ state }) => state !== 'ok');
      expect(without.map(({ check, state }) => [check, state])).toEqual(
        missing.map((check) => [check, 'no']),
      );
      expect([fake.refused.length, fake.violations]).toEqual([refusals, []]);
      const notices = Object.values(results).flatMap((result) => result.notices);
      expect(notices).toHaveLength(refusals);
      expect(code).toBe(0);
    });
  });

  it('exits with 1 where an endpoint refuses tools, and shows its words', async () => {
    const fake = await startCapableVendor('vllm');
    const message =
      '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set';
    fake.otherwise((body) =>
      body['tools'] ? { status: 400, body: { message, code: 400 } } : { text: 'PONG' },
    );
    const { code, said } = await command(fake.baseUrl, '--only', 'text,tool_call');
    await fake.stop();
    expect(said).toMatch(/text +ok .*\n[^]*tool_call +failed .*--tool-call-parser to be set/);
    expect(code).toBe(1);
  });

  async function check(lacks: Lacks, ...args: string[]): Promise<Checked> {
    const fake = await startCapableModel(lacks);
    const { code, said } = await command(fake.baseUrl, '--json', ...args);
    await fake.stop();
    return { code, results: resultsIn(said) };
  }

  function resultsIn(said: string): Checked['results'] {
    const lines = said.trim().split('\n');
    const results = lines.map((line) => JSON.parse(line) as Result);
    return Object.fromEntries(results.map((result) => [result.check, result]));
  }

  async function command(url: string, ...args: string[]): Promise<{ code: number; said: string }> {
    const program = await builtServer('dist/src/models.js');
    const isOpenAi = url.endsWith('/v1');
    const endpoint = { [isOpenAi ? 'OPENAI_BASE_URL' : 'ANTHROPIC_BASE_URL']: url };
    const env = { PATH: process.env['PATH'], ...endpoint, TMPDIR: folder };
    const model = isOpenAi ? 'openai/fake' : 'anthropic/claude-opus-5';
    const given = [program, 'check', model, ...args];
    try {
      const { stdout } = await run(process.execPath, given, { env, cwd: folder });
      return { code: 0, said: stdout };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, said: stdout + stderr };
    }
  }
});
