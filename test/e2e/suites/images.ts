import { findUid } from '../../support/store/find-uid.js';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkConversation } from '../../support/runs/check-conversation.js';
import { IMAGES } from '../../support/tools/images.js';
import type { Servers, ServerUnderTest } from '../servers.js';

const NAMED = /^a\.png is an image: image\/png, 3×2, 73 bytes\./;

export function describeImages(servers: Servers): void {
  let chats = 0;

  describe('An image that a tool shows', () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-e2e-images-')));
    const places = { WORKSPACE_DIR: join(folder, 'work'), DATA_DIR: join(folder, 'data') };
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    const chatWithImage = async ({ api, stores }: ServerUnderTest): Promise<string> => {
      const chat = `images-${++chats}`;
      await api.post('/chats', { id: chat });
      const own = join(folder, 'work', await findUid(stores, chat));
      await mkdir(own, { recursive: true });
      await writeFile(join(own, 'a.png'), Buffer.from(IMAGES.png, 'base64'));
      return chat;
    };

    servers.run({ ...places, MODEL_IMAGES: 'openai/fake' }, (server) => {
      it('is taken away when the provider of the model refuses it', async () => {
        const chat = await chatWithImage(server);
        const start = server.fake.requests.length;
        const calls = [{ name: 'read', arguments: { path: 'a.png' } }];
        const refusal = { status: 400, body: { error: { message: 'Invalid image data' } } };
        server.fake.reply({ calls }, refusal, { text: 'I could not see it.' });
        const reader = await server.api.say(chat, 'Which colour is it?');
        expect(reader.faults).toEqual([]);
        expect(reader.find('NOTICE')).toMatchObject({
          code: 'images_refused',
          message: expect.stringContaining('Invalid image data'),
        });
        expect(reader.find('ANSWER')).toMatchObject({ content: 'I could not see it.' });
        const bodies = server.fake.requests.slice(start).map(({ body }) => JSON.stringify(body));
        expect(bodies.map((body) => body.includes(IMAGES.png))).toEqual([false, true, false]);
        expect(bodies[2]).toContain('a.png is an image');
      });

      it('is seen by the model, and by nobody else', async () => {
        const chat = await chatWithImage(server);
        const start = server.fake.requests.length;
        const calls = [
          { name: 'read', arguments: { path: 'a.png' } },
          { name: 'current_time', arguments: {} },
        ];
        server.fake.reply({ calls }, { text: 'Red.' }, { text: 'Still red.' });
        const reader = await server.api.say(chat, 'Which colour is it?');
        expect(reader.faults).toEqual([]);
        const [, second] = server.fake.requests.slice(start);
        const roles = ['user', 'assistant', 'tool', 'tool', 'user'];
        const sent = second!.body.messages;
        expect(sent.map(({ role }: { role: string }) => role)).toEqual(roles);
        expect(sent[2].content).toMatch(NAMED);
        expect(sent[4].content[0].text).toContain(sent[2].tool_call_id);
        expect(sent[4].content[1].image_url.url).toBe(`data:image/png;base64,${IMAGES.png}`);

        const { interaction_id: id } = reader.records[0]!;
        const interaction = await server.api.interaction({ chat_id: chat, id });
        const { messages } = interaction.final_agent_state!;
        expect(checkConversation(messages)).toEqual([]);
        expect(messages[2]).toMatchObject({ role: 'tool', content: expect.stringMatching(NAMED) });
        const agent = await server.api.get(`/agents/${reader.records[0]!.agent_id}`);
        expect(agent.body.messages).toEqual(messages);
        for (const shown of [reader.records, interaction, agent.body])
          expect(JSON.stringify(shown)).not.toContain(IMAGES.png);

        await server.api.say(chat, 'Sure?');
        const third = JSON.stringify(server.fake.requests[start + 2]!.body);
        expect(third).toContain('a.png is an image');
        expect(third).not.toContain(IMAGES.png);

        const log: string = (await server.api.get(`/chats/${chat}/log`)).body;
        expect(log.split(IMAGES.png)).toHaveLength(2);
        const type = { 'content-type': 'application/x-ndjson' };
        const imported = await server.api.post('/chats/import', log, type);
        expect(imported.body.import.problems).toEqual([]);
        const again: string = (await server.api.get(`/chats/${imported.body.id}/log`)).body;
        expect(again.split(IMAGES.png)).toHaveLength(2);
      });
    });
  });
}
