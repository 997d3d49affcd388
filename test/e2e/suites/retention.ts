import { eventually } from '../../support/eventually.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ASKS = script({ calls: [{ name: 'calculator', arguments: { expression: '6*7' } }] });

export function describeRetention(servers: Servers): void {
  describe('RETENTION_DAYS', () => {
    withPeople(servers, { RETENTION_DAYS: '30', PARK_AFTER_MS: '0' }, (server, person) => {
      const exists = async (chat: string): Promise<boolean> =>
        (await server.api.get(`/chats/${chat}`)).status === 200;

      it('removes chats that were not touched, and none that waits or ended since', async () => {
        await server.api.say('old', script({ text: 'Old.' }));
        await server.api.post('/chats', { id: 'old-empty' });
        await server.api.post('/chats', { id: 'changed' });
        const waits = await person.say('waits', ASKS);
        const { approval_id } = await waits.record('APPROVAL_REQUIRED');
        server.clock.pass(20 * DAY_MS);
        await server.api.say('new', script({ text: 'New.' }));
        await server.api.patch('/chats/changed', { title: 'Changed' });
        server.clock.pass(11 * DAY_MS);
        await eventually(async () => !(await exists('old')) && !(await exists('old-empty')));
        await person.approve(waits.of, approval_id);
        expect((await waits.end()).records.at(-1)).toMatchObject({ status: 'COMPLETED' });
        await server.api.post('/chats', { id: 'old-later' });
        server.clock.pass(29 * DAY_MS);
        await eventually(async () => !(await exists('new')) && !(await exists('changed')));
        expect([await exists('waits'), await exists('old-later')]).toEqual([true, true]);
        server.clock.pass(2 * DAY_MS);
        await eventually(async () => !(await exists('waits')) && !(await exists('old-later')));
      });
    });
  });
}
