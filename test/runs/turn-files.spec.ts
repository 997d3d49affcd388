import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { AgentContext } from '../../src/agents/agent-context.js';
import { loadConfig } from '../../src/config/load-config.js';
import type { Environment } from '../../src/config/load-config.js';
import { Redaction } from '../../src/guardrails/redaction/redaction.js';
import { SystemClock } from '../../src/kernel/clock.js';
import { OpenAiProvider } from '../../src/models/openai/openai-provider.js';
import { TurnFiles } from '../../src/runs/turn-files/turn-files.js';
import { eventually } from '../support/eventually.js';
import { Gate } from '../support/gate.js';
import { FakeOpenAi } from '../support/model/fake-openai.js';
import { RunWorld } from '../support/runs/run-world.js';
import { SmallDisk } from '../support/store/small-disk.js';

const KEY = 'sk-a-key-that-nobody-may-see';
const SUFFIX = '.turn.txt';
const TURN = { interaction_id: 'int_1', chat_id: 'one', epoch: 1, agent_id: 'agent_1', key: '/1' };

describe(TurnFiles.name, () => {
  let fake: FakeOpenAi;
  let root: string;
  let folder: string;
  let provider: OpenAiProvider;

  beforeEach(async () => {
    fake = await FakeOpenAi.start();
    root = await mkdtemp(join(tmpdir(), 'parley-turns-'));
    folder = join(root, 'turns');
    provider = new OpenAiProvider({ apiKey: KEY, baseUrl: fake.baseUrl });
  });
  afterEach(async () => {
    provider.close();
    await fake.stop();
    await rm(root, { recursive: true });
  });

  const open = (env: Environment = {}): TurnFiles => {
    const config = loadConfig({ MODEL_DEBUG_DIR: folder, OPENAI_API_KEY: KEY, ...env });
    return new TurnFiles(config, new Redaction(config), new SystemClock());
  };
  /** Asks the model until it has answered or failed; resolves when the file is written. */
  const ask = async (files: TurnFiles, key = '/1', onEvent = () => {}): Promise<void> => {
    const request = { model: 'fake', messages: [{ role: 'user', content: 'Hi' }] } as const;
    const work = async (): Promise<void> => {
      for await (const _ of provider.stream(request, new AbortController().signal)) onEvent();
    };
    await files.record({ ...TURN, key }, work).catch(() => {});
    await files.onApplicationShutdown();
  };
  const names = async (): Promise<string[]> => {
    const all = await readdir(folder);
    return all.filter((name) => name.endsWith(SUFFIX)).toSorted();
  };
  const newest = async (): Promise<string> => join(folder, (await names()).at(-1)!);

  it('have all requests of a turn and the raw answers, for their owner only', async () => {
    fake.reply({ status: 503, body: { error: { message: 'Busy.' } } }, { text: 'Grüße.' });
    const agent = async (ctx: AgentContext): Promise<void> =>
      void (await ctx.generate({ model: 'openai/fake, openai/other' }));
    const env = { MODEL_DEBUG_DIR: folder, OPENAI_API_KEY: KEY };
    const world = await RunWorld.open({ agent, provider, env });
    await world.run();
    await eventually(async () => (await readdir(folder).catch(() => [])).length === 1);
    const [name = ''] = await names();
    expect(name).toMatch(new RegExp(String.raw`^\d{4}-\d\d-\d\dT.*Z_${world.interactionId}_.*\d`));
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const text = await readFile(join(folder, name), 'utf8');
    const heads = text.split('\n').filter((line) => line.startsWith('==='));
    expect(heads.map((line) => line.replace(/ \d{4}-\S+Z/, ''))).toEqual([
      `=== 1. request POST ${fake.baseUrl}/chat/completions`,
      '=== 1. answer 503 application/json',
      '=== 1. end',
      `=== 2. request POST ${fake.baseUrl}/chat/completions`,
      '=== 2. answer 200 text/event-stream; charset=utf-8',
      '=== 2. end',
    ]);
    for (const { json } of fake.requests) expect(text).toContain(json);
    for (const part of ['Busy.', '\ndata: {', 'Grüß', 'data: [DONE]']) expect(text).toContain(part);
    expect(text).toContain(`interaction_id: ${world.interactionId}\nchat_id: ${world.chatId}\n`);
    expect(text).not.toMatch(/authorization|bearer/i);
  });

  it('have no secrets, and nothing that REDACT_PATTERNS names', async () => {
    const patterns = join(root, 'patterns.json');
    const pattern = String.raw`\b\d{4}-\d{4}\b`;
    await writeFile(patterns, JSON.stringify([{ name: 'number', pattern }]));
    fake.reply({ text: `Say ${KEY}, or\n1234-5678.`, chunk_size: 100 });
    await ask(open({ REDACT_PATTERNS: patterns, GUARDRAIL_SECRETS: 'none' }));
    const text = await readFile(await newest(), 'utf8');
    expect(text).toContain(
      'Say [redacted: OPENAI_API_KEY of the server], or\\n[redacted: number].',
    );
    expect(text).not.toContain(KEY);
    expect(text).not.toContain('1234-5678');
  });

  it('keep the bytes of an answer that is no text', async () => {
    const odd = Buffer.from([0x64, 0x3a, 0xff, 0xfe, 0x00, 0x0a]);
    fake.reply({ steps: [{ raw: Buffer.concat([odd, Buffer.from(KEY)]) }] });
    await ask(open());
    const bytes = await readFile(await newest());
    expect(bytes.includes(odd)).toBe(true);
    expect(bytes.includes(KEY)).toBe(false);
  });

  it('have the beginning of an answer that is cut off, and why it ended', async () => {
    const gate = new Gate();
    fake.reply({ text: ['Half', gate, { cut: true }] });
    await ask(open(), '/1', () => gate.open());
    expect(await readFile(await newest(), 'utf8')).toMatch(/"Half"[^]*\n=== 1\. end \S+ aborted/);
  });

  it('are bounded', async () => {
    fake.reply({ text: 'ä'.repeat(1_500_000), chunk_size: 100_000 });
    await ask(open());
    const text = await readFile(await newest(), 'utf8');
    expect(Buffer.byteLength(text)).toBeLessThan(2.1 * 2 ** 20);
    expect(text).toMatch(/ä\n\[cut: the file has reached its limit\]\n=== 1\. end/);
  });

  it('are at most a thousand, of which the oldest are removed', async () => {
    const files = open();
    await ask(files);
    const old = Array.from({ length: 1003 }, (_, n) => `2020-${10_000 + n}${SUFFIX}`);
    for (const name of [...old, 'notes.txt']) await writeFile(join(folder, name), '');
    await ask(files, '/2');
    const kept = await names();
    expect(kept).toHaveLength(1000);
    expect(kept[0]).toBe(old[5]);
    expect(kept.at(-1)).toContain('_int_1_-2.');
    expect(await readdir(folder)).toContain('notes.txt');
  });

  it('are at most a gibibyte', async () => {
    const files = open();
    await ask(files);
    const first = await newest();
    await ask(files, '/2');
    await writeFile(join(folder, `2020-1${SUFFIX}`), '');
    await truncate(join(folder, `2020-1${SUFFIX}`), 2 ** 30);
    await ask(files, '/3');
    const kept = await names();
    expect(kept).toHaveLength(3);
    expect(join(folder, kept[0]!)).toBe(first);
  });

  it('stay in their folder, whatever their turn is called', async () => {
    await ask(open(), '/../../../etc/\n\0evil');
    expect(await readdir(root)).toEqual(['turns']);
    expect(await names()).toEqual([expect.stringMatching(/^[\w.-]+$/)]);
  });

  it('count links for themselves, and leave what is no file', async () => {
    const files = open();
    await ask(files);
    await writeFile(join(folder, `2019-0${SUFFIX}`), '');
    await mkdir(join(folder, `2020-0${SUFFIX}`));
    await writeFile(join(root, 'large'), '');
    await truncate(join(root, 'large'), 2 ** 31);
    const link = `2999-0${SUFFIX}`;
    await symlink(join(root, 'large'), join(folder, link));
    for (let n = 0; n < 1000; n++) await writeFile(join(folder, `2021-${n}${SUFFIX}`), '');
    await ask(files, '/2');
    const kept = await names();
    expect(kept).toHaveLength(1001);
    expect([kept[0], kept.at(-1)]).toEqual([`2020-0${SUFFIX}`, link]);
    expect((await stat(join(root, 'large'))).size).toBe(2 ** 31);
  });

  it('leave nothing on a disk that is full', async () => {
    if ((await SmallDisk.findFault()) !== undefined) return;
    const disk = await SmallDisk.mount(1);
    try {
      folder = join(disk.path, 'turns');
      const files = open();
      await ask(files);
      await disk.fill();
      await ask(files, '/2');
      expect(await names()).toHaveLength(1);
    } finally {
      await disk.remove();
    }
  });

  it('that can’t be written are told once, and break no turn', async () => {
    const lines: unknown[] = [];
    const warn = (line: unknown): unknown => lines.push(line);
    Logger.overrideLogger({ log: () => {}, error: () => {}, warn });
    await writeFile(folder, 'not a folder');
    const files = open();
    for (const key of ['/1', '/2']) {
      await ask(files, key);
      expect(await files.record(TURN, async () => 'done')).toBe('done');
    }
    Logger.overrideLogger(false);
    expect(lines).toEqual([
      expect.stringMatching(/^MODEL_DEBUG_DIR: files are missing there, as /),
    ]);
  });

  it('are not there without the variable', async () => {
    await ask(open({ MODEL_DEBUG_DIR: '' }));
    expect(fake.requests).toHaveLength(1);
    expect(await readdir(root)).toEqual([]);
  });
});
