import { linesOf, withoutIds } from '../../chats/session-log/session-log-world.js';
import { checkConversation } from '../../support/runs/check-conversation.js';
import { DeedTool } from '../../support/runs/human-test.module.js';
import { script } from '../../support/model/scripted-answers.js';
import { TestServer } from '../../support/server/test-server.js';
import type { Servers } from '../servers.js';
import { FILES } from '../stores.js';
import { withPeople } from '../with-people.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

const NDJSON = { 'content-type': 'application/x-ndjson' };
const LIMIT = 2_000_000;
const calculate = (expression: string) => ({ name: 'calculator', arguments: { expression } });
const ONE_CALL = script({ thinking: 'Hm.', text: 'Let me see.', calls: [calculate('6*7')] });
const QUESTION = script({ calls: [{ name: 'ask_human', arguments: { question: 'Which?' } }] });
const DEED = script({ calls: [{ name: 'deed', arguments: { what: 'a deed' } }] });

export function describeSessionLog(servers: Servers): void {
  describe('The session log', () => {
    withPeople(servers, { IMPORT_MAX_BYTES: String(LIMIT) }, (server, person) => {
      const exported = async (chat: string, api = server.api): Promise<string> => {
        const response = await fetch(`${api.url}/chats/${chat}/log`, { headers: api.headers });
        expect(response.status).toBe(200);
        expect(response.headers.get('content-type')).toMatch('application/x-ndjson');
        return response.text();
      };
      const imported = async (log: string, query = '', api = server.api) => {
        const reply = await api.post(`/chats/import${query}`, log, NDJSON);
        expect([reply.status, reply.body.import?.problems]).toEqual([201, []]);
        return reply.body;
      };
      /**
       * With tools, approvals given, changed and rejected, a question, an edit, a cancel, and one
       * cancelled in the queue.
       */
      const live = async (chat: string): Promise<string> => {
        const approved = await person.say(chat, ONE_CALL);
        const first = (await approved.record('APPROVAL_REQUIRED')).approval_id;
        await person.approve(approved.of, first, { modified_input: { expression: '6*70' } });
        await approved.end();
        const rejected = await person.say(chat, ONE_CALL);
        const second = (await rejected.record('APPROVAL_REQUIRED')).approval_id;
        await person.reject(rejected.of, second, { reason: 'No \u2028 sums' });
        await rejected.end();
        const asked = await person.say(chat, QUESTION);
        const queued = await server.api.begin(chat, {
          user_message: 'Later',
          on_conflict: 'enqueue',
        });
        await person.cancel(queued, '?wait=true');
        await person.respond(
          asked.of,
          (await asked.record('INPUT_REQUIRED')).request_id,
          'This one 😀',
        );
        await asked.end();
        const edited = await person.edit(rejected.of, 'Said anew');
        await server.api.follow(edited.body as Interaction);
        const stopped = await person.say(chat, ONE_CALL);
        await stopped.record('APPROVAL_REQUIRED');
        await person.cancel(stopped.of, '?wait=true');
        await stopped.end();
        await server.api.patch(`/chats/${chat}`, { title: 'Everything', metadata: { a: [1] } });
        return exported(chat);
      };

      it('is the same after it was imported, but for ids, and reads as the chat did', async () => {
        const log = await live('everything');
        const chat = await imported(log);
        expect(chat).toMatchObject({ title: 'Everything', metadata: { a: [1] } });
        expect(chat.import).toMatchObject({ interactions: 6, problems: [] });
        const again = await exported(chat.id);
        expect(neutral(again)).toBe(neutral(log));
        const before = (await server.api.get('/chats/everything?include=superseded&state=all'))
          .body;
        const after = (await server.api.get(`/chats/${chat.id}?include=superseded&state=all`)).body;
        const shown = ({ interactions }: object & { interactions: object[] }): string =>
          neutral(JSON.stringify(interactions));
        expect(shown(after)).toBe(shown(before));
        for (const interaction of after.interactions as Interaction[])
          expect(checkConversation(interaction.final_agent_state!.messages)).toEqual([]);
      });

      // Both ways; files meet each other store there.
      if (servers.store !== FILES)
        it('of another store is as good as one of its own', async () => {
          const opened = await FILES.open();
          const other = await TestServer.start(opened.stores);
          const here = await exported('everything');
          const there = await exported((await imported(here, '', other.api)).id, other.api);
          expect(neutral(there)).toBe(neutral(here));
          const { id } = await imported(there);
          expect(neutral(await exported(id))).toBe(neutral(here));
          await other.stop();
          await opened.close();
        });

      it('is a chat to go on with, and its events can be read', async () => {
        await server.api.say('to-go-on', ONE_CALL);
        const { id, head_interaction_id: head } = await imported(await exported('to-go-on'));
        const read = await server.api.follow({ chat_id: id, id: head });
        expect(read.faults).toEqual([]);
        expect(read.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
        const next = await server.api.say(id, 'And now?');
        expect(next.records[0]).toMatchObject({ chat_id: id, parent_id: head });
        const edit = await person.edit({ chat_id: id, id: head }, 'Anew');
        expect(edit.status).toBe(202);
        await server.api.follow(edit.body as Interaction);
        expect((await server.api.delete(`/chats/${id}`)).status).toBe(204);
      });

      it('of what runs is a whole beginning, which arrives cancelled and runs nothing', async () => {
        const done = DeedTool.done.length;
        const waiting = await person.say('unfinished', DEED);
        const approval = (await waiting.record('APPROVAL_REQUIRED')).approval_id;
        await server.api.begin('unfinished', { user_message: 'Next', on_conflict: 'enqueue' });
        const log = await exported('unfinished');
        expect(linesOf(log).at(-1)).toEqual({ type: 'end' });
        const chat = await imported(log);
        const { body } = await server.api.get(`/chats/${chat.id}?include=superseded&state=all`);
        const [first, queued] = body.interactions as Interaction[];
        expect([first!.status, queued!.status]).toEqual(['CANCELLED', 'CANCELLED']);
        expect(checkConversation(queued!.final_agent_state!.messages)).toEqual([]);
        const inbox = await person.inbox(`status=pending&chat_id=${chat.id}`);
        expect(inbox.body.items).toEqual([]);
        const theirs = linesOf(await exported(chat.id)).find(({ type }) => type === 'request');
        expect(theirs).toMatchObject({ status: 'closed' });
        const late = await person.approve(first!, theirs!['id']);
        expect(late.status).toBe(400);
        await server.restart();
        expect((await server.api.interaction(first!)).last_seq).toBe(first!.last_seq);
        expect((await server.api.say(chat.id, 'Hi')).records.at(-1)).toMatchObject({
          status: 'COMPLETED',
        });
        await person.reject(waiting.of, approval);
        await (await waiting.resume(server.api)).end();
        expect(DeedTool.done).toHaveLength(done);
      });

      it('can be imported under an id of its own, which must be free', async () => {
        await server.api.say('kept', 'Hi', { 'idempotency-key': 'k' });
        const log = await exported('kept');
        const taken = await server.api.post('/chats/import?chat_id=kept', log, NDJSON);
        expect([taken.status, taken.body.type]).toEqual([409, '/problems/chat_exists']);
        await server.api.delete('/chats/kept');
        expect((await imported(log, '?chat_id=kept')).id).toBe('kept');
        const anew = await server.api.say('kept', 'Other', { 'idempotency-key': 'k' });
        expect(anew.records[0]).toMatchObject({ user_message: 'Other' });
        const odd = await server.api.post('/chats/import?chat_id=no/id', log, NDJSON);
        expect(odd.status).toBe(400);
      });

      it('is taken as far as it is good, and the rest is told line by line', async () => {
        await server.api.say('faulty', 'Hi');
        const lines = (await exported('faulty')).split('\n');
        const body = lines.toSpliced(2, 0, 'odd').slice(0, -2).join('\n');
        const reply = await server.api.post('/chats/import', body, NDJSON);
        expect(reply.status).toBe(201);
        expect(reply.body.import.problems).toEqual([
          { line: 3, message: 'The line is not valid JSON.' },
          { line: lines.length - 1, message: 'The log has no end: it was cut off.' },
        ]);
      });

      it.each<[string, string, object, number, string]>([
        ['holds nothing', 'odd', NDJSON, 400, 'nothing_to_import'],
        ['is empty', '', NDJSON, 400, 'nothing_to_import'],
        ['is of another type', '{}', {}, 415, 'unsupported_media_type'],
        [
          'is compressed',
          '{}',
          { ...NDJSON, 'content-encoding': 'gzip' },
          415,
          'unsupported_media_type',
        ],
        [
          'is too large',
          `{"type":"${'x'.repeat(10_000)}"}\n`.repeat(LIMIT / 10_000),
          NDJSON,
          413,
          'log_too_large',
        ],
      ])('is refused when it %s', async (_what, body, headers, status, code) => {
        const chats = (await server.api.get('/chats?limit=200')).body.items.length;
        const reply = await server.api.post('/chats/import', body, { ...headers });
        expect([reply.status, reply.body.type]).toEqual([status, `/problems/${code}`]);
        expect((await server.api.get('/chats?limit=200')).body.items).toHaveLength(chats);
      });

      it('leaves nothing when whoever sends it goes away', async () => {
        await server.api.say('cut', 'Hi');
        const log = await exported('cut');
        const chats = (await server.api.get('/chats?limit=200')).body.items.length;
        const gone = new AbortController();
        const body = new ReadableStream({
          start: (sending) => sending.enqueue(Buffer.from(log.slice(0, -3))),
          pull: () => gone.abort(),
        });
        const headers = { ...NDJSON, ...server.api.headers };
        const init = { method: 'POST', headers, body, signal: gone.signal, duplex: 'half' };
        const sent = fetch(`${server.api.url}/chats/import`, init as RequestInit);
        await expect(sent).rejects.toThrow();
        expect((await server.api.get('/chats?limit=200')).body.items).toHaveLength(chats);
      });

      it('of nobody is not there', async () => {
        const { status, body } = await server.api.get('/chats/nobody/log');
        expect([status, body.type]).toEqual([404, '/problems/chat_not_found']);
      });

      it('is described, in and out', async () => {
        const { paths } = (await server.api.get('/docs-json')).body;
        const out = paths['/chats/{chat_id}/log'].get.responses[200].content;
        const { requestBody } = paths['/chats/import'].post;
        const types = ['application/x-ndjson', 'application/x-tar'];
        expect(Object.keys(out)).toEqual(types);
        expect(Object.keys(requestBody.content)).toEqual(types);
      });
    });
  });
}

/** Without ids; a chat brings its own. */
function neutral(log: string): string {
  return withoutIds(log.replaceAll('"everything"', '"chat_00000000-0000-0000-0000-000000000000"'));
}
