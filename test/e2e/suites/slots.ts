import type { Following } from '../../support/store/following.js';
import { eventually } from '../../support/eventually.js';
import { Gate } from '../../support/gate.js';
import type { Person } from '../../support/client/person.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { withPeople } from '../with-people.js';

const CALCULATES = script({ calls: [{ name: 'calculator', arguments: { expression: '6*7' } }] });
const STAYS = script({ calls: [{ name: 'pinned', arguments: {} }] });

export function describeSlots(servers: Servers): void {
  describe('Runs that wait for people while one may work at once', () => {
    withPeople(servers, { MAX_CONCURRENT_RUNS: '1' }, (server, person) => {
      it('let another chat work, and go on when they are answered', async () => {
        const waits = await person.say('approval', CALCULATES);
        const { approval_id } = await waits.record('APPROVAL_REQUIRED');
        const other = await server.api.say('approval-other', script({ text: 'All of it.' }));
        expect(other.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
        expect(server.runs(waits.of.id)).toBe(true); // it was in memory all the time
        await person.approve(waits.of, approval_id);
        await endsWell(waits, '42');
      });

      it('do so too when a tool waits that could not be run again', async () => {
        const waits = await person.say('pinned', STAYS);
        const { request_id } = await waits.record('INPUT_REQUIRED');
        const second = await person.say('pinned-too', STAYS);
        const asked = await second.record('INPUT_REQUIRED');
        await server.api.say('pinned-other', script({ text: 'All of it.' }));
        await person.respond(waits.of, request_id, 'north');
        await person.respond(second.of, asked.request_id, 'south');
        await endsWell(waits, 'Went north.');
        await endsWell(second, 'Went south.');
      });

      it('go on when there is room, before what is new', async () => {
        const waits = await person.say('first', CALCULATES);
        const { approval_id } = await waits.record('APPROVAL_REQUIRED');
        const busy = await occupy(server, person);
        const fresh = await person.say('new', script({ text: 'New.' }));
        await person.approve(waits.of, approval_id);
        expect(waits.reader.types).not.toContain('TOOL_STARTED');
        const asked = server.fake.requests.length;
        busy.gate.open();
        await Promise.all([busy.following.end(), waits.end(), fresh.end()]);
        const order = server.fake.requests.slice(asked).map(({ body }) => JSON.stringify(body));
        expect(order.map((text) => text.includes('6*7'))).toEqual([true, false]);
        await endsWell(waits, '42');
      });

      it('are cancelled at once, room or not', async () => {
        const waits = await person.say('cancelled', CALCULATES);
        const { approval_id } = await waits.record('APPROVAL_REQUIRED');
        const busy = await occupy(server, person);
        await person.approve(waits.of, approval_id);
        await person.cancel(waits.of);
        const { records } = await waits.end();
        expect(records.at(-1)).toMatchObject({ status: 'CANCELLED' });
        busy.gate.open();
        await busy.following.end();
      });
    });
  });

  describe('Runs that wait for people while two may work at once', () => {
    withPeople(servers, { MAX_CONCURRENT_RUNS: '2' }, (server, person) => {
      it('stay in memory in that number, and all end when all are answered at once', async () => {
        const chats = Array.from({ length: 6 }, (_, n) => `many-${n}`);
        const all = await Promise.all(chats.map((chat) => person.say(chat, CALCULATES)));
        const asked = await Promise.all(all.map((waits) => waits.record('APPROVAL_REQUIRED')));
        await eventually(() => all.filter(({ of }) => server.runs(of.id)).length === 2);
        await Promise.all(all.map(({ of }, n) => person.approve(of, asked[n]!.approval_id)));
        for (const waits of all) await endsWell(waits, '42');
      });
    });
  });
}

/** A chat that works until its gate opens. */
async function occupy(
  server: ServerUnderTest,
  person: Person,
): Promise<{ following: Following; gate: Gate }> {
  const gate = new Gate();
  server.fake.reply({ text: ['Half', gate, ' and half.'] });
  const following = await person.say(`busy-${server.fake.requests.length}`, 'Go');
  await gate.reached;
  return { following, gate };
}

async function endsWell(following: Following, output: string): Promise<void> {
  const reader = await following.end();
  expect(reader.faults).toEqual([]);
  expect(reader.types).not.toContain('RESUMED');
  expect(reader.find('TOOL_RESULT')).toMatchObject({ tool_output: output });
  expect(reader.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
}
