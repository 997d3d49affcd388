import { script } from '../../support/model/scripted-answers.js';
import { eventually } from '../../support/eventually.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

interface Span {
  readonly id: string;
  readonly parent_id: string | null;
  readonly kind: string;
  readonly name: string;
  readonly status: string;
  readonly started_at: string;
  readonly ended_at: string | null;
}

export function describeTimeline(servers: Servers): void {
  describe('The timeline of an interaction', () => {
    withPeople(servers, {}, (server) => {
      const read = async (id: string) => {
        const path = `/chats/timed/interactions/${id}/timeline`;
        const { status, body } = await server.api.get(path);
        expect(status).toBe(200);
        return body as { items: Span[]; trace_id: string; truncated: boolean };
      };
      const brief = ({ items }: { items: Span[] }): string[] =>
        items.map(({ kind, name, status }) => `${kind} ${name} ${status}`);

      it('has what it waits for, and in the end what took how long', async () => {
        const ask = { name: 'ask_human', arguments: { question: 'Which colour?' } };
        const body = { user_message: script({ calls: [ask] }), on_disconnect: 'continue' };
        const { id } = await server.api.begin('timed', body);
        const waits = 'wait question running';
        await eventually(async () => brief(await read(id)).includes(waits));
        const [request] = (await server.api.get(`/requests?interaction_id=${id}`)).body.items;
        const answer = { request_id: request.id, answer: 'red' };
        await server.api.post(`/chats/timed/interactions/${id}/respond`, answer);
        await eventually(async () => brief(await read(id)).includes('interaction react ok'));
        const { items, trace_id, truncated } = await read(id);
        expect([trace_id, truncated]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), false]);
        expect(brief({ items })).toEqual(
          expect.arrayContaining([
            expect.stringMatching(/^model \S+ ok$/),
            'agent react ok',
            'wait question ok',
          ]),
        );
        const places = new Map(items.map((span, index) => [span.id, index]));
        expect(places.size).toBe(items.length);
        items.forEach(({ parent_id, started_at, ended_at }, index) => {
          if (parent_id !== null) expect(places.get(parent_id)).toBeLessThan(index);
          expect(Date.parse(ended_at!)).toBeGreaterThanOrEqual(Date.parse(started_at));
        });
      });

      it('has the trace of the request that started it', async () => {
        const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
        const traceparent = `00-${trace}-00f067aa0ba902b7-01`;
        const body = { user_message: 'Hi.', on_disconnect: 'continue' };
        const { id } = await server.api.begin('timed', body, { traceparent });
        expect((await read(id)).trace_id).toBe(trace);
        const malformed = { traceparent: '00-<script>-1' };
        const { id: other } = await server.api.begin('timed-2', body, malformed);
        expect(other).toMatch(/^int_/);
      });
    });
  });
}
