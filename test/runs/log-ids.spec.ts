import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable, Logger, Module } from '@nestjs/common';
import { z } from 'zod';
import { Tool } from '../../src/tools/core/tool.js';
import type { ToolPolicy } from '../../src/tools/core/tool.js';
import { ToolProvider } from '../../src/tools/core/tool-provider.decorator.js';
import { FILES } from '../e2e/stores.js';
import type { OpenStore } from '../e2e/stores.js';
import { eventually } from '../support/eventually.js';
import { TestServer } from '../support/server/test-server.js';

const ODD = join(import.meta.dirname, '../support/tools/mcp/odd-server.mjs');
const BUSY = { status: 503, body: { error: { message: 'Busy.' } } };

const word = z.object({ word: z.string() });

@Injectable()
@ToolProvider()
class LoggingTool extends Tool<z.output<typeof word>> {
  readonly name = 'logging';
  readonly description = 'Logs a word, and fails.';
  readonly input = word;
  readonly policy: ToolPolicy = {
    ...{ category: 'compute', read_only: true, risk: 'low' },
    recovery: 'rerun',
  };
  private readonly logger = new Logger('LoggingTool');

  async execute(input: z.output<typeof word>): Promise<string> {
    await new Promise((resolve) => setImmediate(resolve));
    this.logger.warn(input.word);
    throw new Error('As always.');
  }
}

@Module({ providers: [LoggingTool] })
class LoggingModule {}

type Line = Readonly<Record<string, unknown>>;

describe('Lines of the log', () => {
  let folder: string;
  let opened: OpenStore;
  let server: TestServer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-log-ids-'));
    const MCP_CONFIG = join(folder, 'mcp.json');
    const odd = { command: process.execPath, args: [ODD], trust: true };
    await writeFile(MCP_CONFIG, JSON.stringify({ mcpServers: { odd } }));
    opened = await FILES.open();
    const modules = [LoggingModule];
    const env = { MCP_CONFIG, MODEL: 'openai/a, openai/b' };
    server = await TestServer.start(opened.stores, { env, modules });
    await eventually(async () => {
      const { body } = await server.api.get('/tools');
      return body.servers.some(({ state }: { state: string }) => state === 'ready');
    });
  });
  afterAll(async () => {
    await server.stop();
    await opened.close();
    await rm(folder, { recursive: true });
  });

  const lines = (): Line[] => server.log.map((line) => JSON.parse(line) as Line);
  const find = (message: RegExp): Line[] =>
    lines().filter((line) => message.test(String(line['message'])));
  const say = async (chat: string): Promise<string> => {
    const body = { user_message: 'Go', approval_mode: 'auto' };
    const reader = await server.api.say(chat, body);
    expect(reader.find('INTERACTION_COMPLETE')).toMatchObject({ status: 'COMPLETED' });
    return reader.records[0]!.interaction_id;
  };

  it('of a run have its ids: of models that fail, of tools, of MCP servers, of others’ code', async () => {
    const calls = [
      { name: 'logging', arguments: { word: 'first' } },
      { name: 'mcp__odd__fail', arguments: {} },
      { name: 'mcp__odd__die', arguments: {} },
    ];
    server.fake.reply(BUSY, { calls, usage: null }, { text: 'Done.' });
    const interaction_id = await say('one');
    const ids = { interaction_id, chat_id: 'one', epoch: 1 };
    const messages = [
      /^Interaction started$/,
      /^openai\/a failed \(model_overloaded\): model_fallback$/,
      /^openai\/b does not say how many tokens/,
      /^The price of openai\/b is not known/,
      /^first$/,
      /^The tool logging failed$/,
      /^The tool mcp__odd__fail failed$/,
      /^The tool mcp__odd__die failed$/,
      /^Interaction ended COMPLETED$/,
    ];
    for (const message of messages)
      expect([message, find(message)]).toMatchObject([message, [ids]]);
  });

  it('of runs at the same time, and after each other, are told apart', async () => {
    server.fake.otherwise(({ messages }) => {
      const isFirst = messages.at(-1).role === 'user';
      const calls = [{ name: 'logging', arguments: { word: 'again' } }];
      return isFirst ? { calls } : { text: 'Done.' };
    });
    const chats = ['two', 'three', 'four'];
    const ids = await Promise.all(chats.map(say));
    ids.push(await say('two'));
    const expected = [...chats, 'two'].map((chat_id, index) => `${ids[index]} ${chat_id}`);
    const found = find(/^again$/).map((line) => `${line['interaction_id']} ${line['chat_id']}`);
    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  it('of no run have none', async () => {
    new Logger('Test').warn('outside');
    await eventually(() => find(/Not available/).length > 0);
    const outside = [...find(/^outside$/), ...find(/^POST /), ...find(/Not available/)];
    expect(outside.length).toBeGreaterThan(3);
    expect(outside.filter((line) => 'interaction_id' in line)).toEqual([]);
  });
});
