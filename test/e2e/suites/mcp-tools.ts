import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolServer } from '../../../src/tools/core/tool-source.js';
import type { ApiClient } from '../../support/client/api-client.js';
import { Person } from '../../support/client/person.js';
import { eventually } from '../../support/eventually.js';
import { Gate } from '../../support/gate.js';
import { FakeVendor, StrictAnthropic } from '../../support/model/fake-vendor.js';
import { RawHttpServer } from '../../support/tools/mcp/raw-http-server.js';
import type { RawAnswers, Until } from '../../support/tools/mcp/raw-http-server.js';
import { KEY } from '../../support/server/test-server.js';
import type { TestServer } from '../../support/server/test-server.js';
import type { Servers } from '../servers.js';
import type { OpenStore } from '../stores.js';

const INITIALIZED =
  '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}';
const ODD_SCHEMA = JSON.stringify({
  type: 'object',
  properties: {
    $filter: { type: 'string' },
    id: { type: 'integer' },
    at: { type: 'array', items: { type: 'number' } },
    more: { type: 'object', properties: { 'näme of it': { type: 'string' } } },
  },
  required: ['$filter'],
  anyOf: [{ required: ['id'] }, { required: ['at'] }],
}).replace('"integer"}', '"integer","maximum":12345678901234567890}');
const NUMBERS = '"id":1234567890123456789,"at":[1e400,-0,0.1e1,2.50,3.14159265358979323846]';
const WRITTEN = `{"_filter":"a eq 'b'",${NUMBERS},"more":{"n_me_of_it":"x"}}`;
const CALLED = `{"$filter":"a eq 'b'",${NUMBERS},"more":{"näme of it":"x"}}`;
const MANY = Array.from({ length: 150 }, (_, n) => `{"name":"t${String(n).padStart(3, '0')}"}`);

export function describeMcpTools(servers: Servers): void {
  describe('The tools of MCP servers', () => {
    let folder: string;
    let openai: FakeVendor;
    let anthropic: StrictAnthropic;
    const closing: (() => Promise<void>)[] = [];
    const gate = new Gate();
    let opened: OpenStore;
    /** A server of Parley that starts while one of its tool servers does not answer. */
    let starting: Promise<TestServer>;
    /** The environment of a server of Parley with one MCP server. */
    let envOf: Record<'odd' | 'many' | 'slow', Record<string, string>>;

    const serve = async (name: string, answers: RawAnswers, until?: Until) => {
      const raw = await RawHttpServer.start({ initialize: INITIALIZED, ...answers }, false, until);
      closing.push(() => raw.stop());
      const path = join(folder, `${name}.json`);
      await writeFile(path, JSON.stringify({ mcpServers: { [name]: { url: raw.url.href } } }));
      return {
        ...{ MCP_CONFIG: path, MODEL: 'openai/fake', OPENAI_BASE_URL: openai.baseUrl },
        ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: anthropic.baseUrl },
      };
    };

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'parley-mcp-'));
      [openai, anthropic] = [await FakeVendor.open('openai'), await StrictAnthropic.open()];
      closing.push(
        () => openai.stop(),
        () => anthropic.stop(),
      );
      const listed = `{"tools":[{"name":"echo","inputSchema":${ODD_SCHEMA}},{"name":"count"}]}`;
      const count = `{"structuredContent":{${NUMBERS}}}`;
      envOf = {
        odd: await serve('raw', { 'tools/list': listed, count }),
        many: await serve('many', { 'tools/list': `{"tools":[${MANY.join()}]}` }),
        slow: await serve('slow', { 'tools/list': '{"tools":[{"name":"late"}]}' }, () =>
          gate.pass(),
        ),
      };
      opened = await servers.open();
      starting = servers.start(opened.stores, { env: envOf.slow });
    });
    afterEach(() => {
      for (const fake of [openai, anthropic]) {
        expect(fake.violations).toEqual([]);
        fake.reset();
      }
    });
    afterAll(async () => {
      gate.open();
      await (await starting).stop();
      await opened.close();
      for (const close of closing) await close();
      await rm(folder, { recursive: true, force: true });
    });

    servers.run(
      () => envOf.odd,
      (server) => {
        const person = new Person(() => server.api);
        const vendors = [
          ['OpenAI', 'openai/fake', () => openai],
          ['Anthropic', 'anthropic/claude-x', () => anthropic],
        ] as const;
        const ask = async (chat: string, model: string) => {
          const following = await person.say(chat, { user_message: 'Go', model });
          const approval = await following.record('APPROVAL_REQUIRED');
          return { following, approval };
        };

        it.each(vendors)(
          'are called with the names and the digits that a person approved: %s',
          async (vendor, model, fakeOf) => {
            const fake = fakeOf();
            const calls = [{ id: 'c1', name: 'mcp__raw__echo', arguments: WRITTEN }];
            fake.reply({ calls }, { text: 'Done.' });
            const { following, approval } = await ask(`exact-${vendor}`, model);
            expect(approval.tool_input).toBe(CALLED);
            expect(approval.action).toContain(CALLED);
            await person.approve(following.of, approval.approval_id);
            const reader = await following.end();
            expect(reader.faults).toEqual([]);
            expect(reader.find('TOOL_CALL')!.tool_input).toBe(CALLED);
            expect(reader.find('TOOL_RESULT')!.tool_output).toContain(`"arguments":${CALLED}`);
            expect(reader.find('ANSWER')).toMatchObject({ content: 'Done.' });
            expect(fake.refused).toEqual([]);
            const sent = fake === anthropic ? `"input":${WRITTEN}` : JSON.stringify(WRITTEN);
            expect(fake.requests[1]!.json).toContain(sent);
          },
        );

        it('are called with what the person made of a call', async () => {
          const calls = [{ name: 'mcp__raw__echo', arguments: WRITTEN }];
          anthropic.reply({ calls }, { text: 'Done.' });
          const { following, approval } = await ask('modified', 'anthropic/claude-x');
          const { approval_id } = approval;
          const path = `/chats/modified/interactions/${following.of.id}/approve`;
          for (const number of ['1234567890123456789', '1e400']) {
            const input = `{"$filter":"c","id":${number}}`;
            const body = `{"approval_id":"${approval_id}","approved":true,"modified_input":${input}}`;
            const reply = await server.api.post(path, body);
            expect(reply).toMatchObject({
              ...{ status: 400, body: { type: '/problems/inexact_number' } },
            });
          }
          const modified_input = { $filter: 'c', id: 7, more: { 'näme of it': 'y' } };
          await person.approve(following.of, approval_id, { modified_input });
          const reader = await following.end();
          const called = JSON.stringify(modified_input);
          expect(reader.find('TOOL_RESULT')!.tool_output).toContain(`"arguments":${called}`);
          expect(anthropic.requests[1]!.json).toContain(
            '"input":{"_filter":"c","id":7,"more":{"n_me_of_it":"y"}}',
          );
        });

        it('are shown with every digit of their schemas', async () => {
          const text = JSON.stringify((await server.api.get('/tools')).body);
          expect(text).toContain('"id":{"type":"integer","maximum":"12345678901234567890"}');
          expect(text).not.toContain('exact-number');
          openai.reply({ text: 'Hello.' });
          await server.api.say('shown', { user_message: 'Go', approval_mode: 'auto' });
          expect(openai.requests[0]!.json).toContain('"maximum":12345678901234567890');
        });

        it.each(vendors)('give %s every digit of their results', async (vendor, model, fakeOf) => {
          const fake = fakeOf();
          fake.reply({ calls: [{ name: 'mcp__raw__count', arguments: {} }] }, { text: 'Done.' });
          const body = { user_message: 'Go', model, approval_mode: 'auto' };
          const reader = await server.api.say(`digits-${vendor}`, body);
          expect(reader.find('TOOL_RESULT')!.tool_output).toBe(`{${NUMBERS}}`);
          expect(fake.requests[1]!.json).toContain(JSON.stringify(`{${NUMBERS}}`));
        });
      },
    );

    servers.run(
      () => envOf.many,
      (server) => {
        it('are left out where a vendor takes fewer, but not those of the agent and the last ones', async () => {
          const name = 'mcp__many__t149';
          openai.reply({ calls: [{ name, arguments: {} }] }, { text: 'One.' }, { text: 'Two.' });
          const door = { name: 'zz_door', description: 'Opens.', input_schema: { type: 'object' } };
          const body = { approval_mode: 'auto', client_tools: [door], user_message: 'Go' };
          const reader = await server.api.say('many', body);
          expect(reader.list('NOTICE').map(({ code }) => code)).toEqual(
            expect.arrayContaining(['model_adapted', 'tools_left_out']),
          );
          expect(reader.find('TOOL_RESULT')).toMatchObject({ is_error: false });
          expect(reader.find('ANSWER')).toMatchObject({ content: 'One.' });
          await server.api.say('many', body);
          const sent = openai.requests.at(-1)!.body['tools'] as { function: { name: string } }[];
          const names = sent.map((tool) => tool.function.name);
          expect(names).toHaveLength(128);
          expect(names).toEqual(expect.arrayContaining(['read', 'write', 'zz_door', name]));
          expect(names).not.toContain('mcp__many__t148');
          expect(openai.refused).toHaveLength(1);
        });
      },
    );

    it('come when their server has started, which no chat waits for', async () => {
      const { api } = await starting;
      expect(await stateOf(api)).toBe('connecting');
      const body = { user_message: 'Go', approval_mode: 'auto' };
      openai.reply({ text: 'Hello.' });
      const before = await api.say('early', body);
      expect(before.find('ANSWER')).toMatchObject({ content: 'Hello.' });
      expect(before.find('NOTICE')).toMatchObject({ code: 'tool_server_unavailable' });
      gate.open();
      await eventually(async () => (await stateOf(api)) === 'ready');
      openai.reply({ calls: [{ name: 'mcp__slow__late', arguments: {} }] }, { text: 'Bye.' });
      const after = await api.say('early', body);
      expect(after.find('TOOL_RESULT')).toMatchObject({ tool_output: 'done' });
      expect(after.list('NOTICE')).toEqual([]);
    });
  });
}

async function stateOf(api: ApiClient): Promise<ToolServer['state'] | undefined> {
  const { servers } = (await api.get('/tools')).body as { servers: readonly ToolServer[] };
  return servers[0]?.state;
}
