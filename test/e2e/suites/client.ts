import { branchOf, createClient, fold } from '../../../client/index.js';
import type { ChatStreamEvent, Conversation, EventStream } from '../../../client/index.js';
import { makeToolAsk } from '../../support/tools/make-tool-ask.js';
import type { FakeTurn } from '../../support/model/fake-openai-turn.js';
import type { Servers } from '../servers.js';

const CALL: FakeTurn = {
  text: 'Let me see. ',
  calls: [{ name: 'calculator', arguments: { expression: '6*7' } }],
};

/** Reads until the state is as expected. */
async function readUntil(
  stream: EventStream<ChatStreamEvent>,
  isThere: (state: Conversation) => boolean,
): Promise<Conversation> {
  let state: Conversation | undefined;
  for await (const event of stream) {
    state = fold(state, event);
    if (isThere(state)) return state;
  }
  throw new Error('The stream has ended.');
}

export function describeClient(servers: Servers): void {
  describe('parley/client', () => {
    servers.run({}, (server) => {
      const client = () => {
        const key = server.api.headers['authorization']?.replace('Bearer ', '');
        return createClient({ url: server.api.url, ...(key && { key }) });
      };

      it('starts, approves, edits, and keeps the chat with its branches', async () => {
        const { start, edit, requests, chat } = client();
        await makeToolAsk(server.api, 'folded', 'calculator');
        server.fake.reply(CALL, { text: '42' }, { text: 'Anew' });
        for await (const event of start('folded', { user_message: 'Go' })) {
          if (event.type !== 'APPROVAL_REQUIRED') continue;
          const { interaction_id, approval_id } = event;
          const approved = { approval_id, approved: true };
          expect(await requests.approve('folded', interaction_id, approved)).toMatchObject({
            status: 'processed',
          });
        }
        const first = (await client().chats.get('folded')).head_interaction_id!;
        for await (const _ of edit('folded', first, { new_user_message: 'Better' }));
        const events = chat('folded').events({ cursor: '0' });
        const isWhole = ({ interactions }: Conversation): boolean =>
          Object.values(interactions).filter(({ status }) => status === 'COMPLETED').length === 2;
        const state = await readUntil(events, isWhole);
        expect(branchOf(state).map(({ answer }) => answer)).toEqual(['Anew']);
        expect(state.interactions[first]).toMatchObject({ answer: '42', open: {} });
        expect(state.interactions[first]!.calls).toMatchObject([
          { has_started: true, result: { tool_output: '42' } },
        ]);
        expect(state.requests).toMatchObject([
          { kind: 'approval', status: 'settled', settlement: { approved: true } },
        ]);
      });

      it('sends files and tells how far it is', async () => {
        const { files, chats } = client();
        await chats.create({ id: 'with-files' });
        const file = new Blob(['x'.repeat(300_000)], { type: 'text/plain' });
        const sent: number[] = [];
        const added = await files.upload(file, {
          ...{ chat_id: 'with-files', filename: 'x.txt' },
          onProgress: (progress) => sent.push(progress.sent),
        });
        expect(added).toMatchObject({ filename: 'x.txt', size_bytes: 300_000 });
        expect(sent.at(-1)).toBe(300_000);
        expect(sent).toEqual(sent.toSorted((a, b) => a - b));
        const content = await files.content(added.id, { range: 'bytes=0-2' });
        expect([content.status, await content.text()]).toEqual([206, 'xxx']);
        const plain = await files.upload(file, { filename: 'y.txt', chat_id: 'with-files' });
        expect((await files.list({ chat_id: 'with-files' })).items).toHaveLength(2);
        expect(await files.delete(plain.id)).toBeUndefined();
      });

      it('follows the feed, and takes a session log back', async () => {
        const { feed, interactions, chats, health } = client();
        expect((await health.live()).status).toBe('ok');
        const types: string[] = [];
        for await (const event of feed()) {
          types.push(event.type);
          if (event.type === 'FEED_STATE')
            await interactions.start('fed', { user_message: 'Hi' }, { query: { wait: 'true' } });
          if (event.type === 'INTERACTION_UPDATED' && event.status === 'COMPLETED') break;
        }
        expect(types[0]).toBe('FEED_STATE');
        const log = await (await chats.log('fed')).text();
        const imported = await chats.import(log, { chat_id: 'fed-again' });
        expect(imported.id).toBe('fed-again');
        await expect(chats.get('none')).rejects.toMatchObject({
          status: 404,
          code: 'chat_not_found',
        });
      });
    });
  });
}
