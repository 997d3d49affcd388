import { rawRequest } from '../../support/client/raw-request.js';
import { ADMIN_KEY, WITH_KEYS, makeKey } from '../with-keys.js';
import type { Servers } from '../servers.js';

const JWT = {
  ...{ JWT_ISSUER: 'https://issuer.example', JWT_AUDIENCE: 'parley' },
  JWT_SECRET: 'the-secret-of-hs256-in-tests-0123456789',
};

export function describeAuthCanary(servers: Servers): void {
  (servers.store.fault ? describe.skip : describe)('Credentials', () => {
    it('are in no log, no problem document and no export', async () => {
      const opened = await servers.open();
      const log: string[] = [];
      const env = { ...WITH_KEYS, ...JWT, AUTH: 'keys,jwt', LOG_LEVEL: 'trace' };
      const server = await servers.start(opened.stores, { env, log });
      try {
        const { key, id } = await makeKey(server.api, ['chat', 'decide']);
        const api = server.api.bearing(key);
        const { body } = await api.post('/stream-tickets', { path: '/chats/nowhere/events' });
        const ticket: string = body.ticket;
        const token = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.${'c2lnbmF0dXJl'.repeat(3)}`;
        const url = server.api.url;
        const bad = [
          [`${url}/chats/none`, ['Authorization', `Bearer ${key}`]],
          [`${url}/chats/none`, ['Authorization', `Bearer ${key}x`]],
          [`${url}/chats/none`, ['Authorization', `Basic ${key}`]],
          [`${url}/chats/none`, ['Authorization', `Bearer ${token}`]],
          [`${url}/chats/none`, ['x-api-key', key, 'x-api-key', ADMIN_KEY]],
          [`${url}/keys`, ['x-api-key', key]],
          [`${url}/chats/nowhere/events?ticket=${ticket}`, []],
          [`${url}/chats/nowhere/events?ticket=${ticket}`, []],
          [`${url}/chats?ticket=${ticket}&bad=%zz`, []],
          [`${url}/chats?x=%00&ticket=${ticket}`, []],
        ] as const;
        const answers = [];
        for (const [at, headers] of bad) answers.push((await rawRequest(at, headers)).text);
        server.fake.reply({ text: [`Your key is ${key}, theirs ${ADMIN_KEY}.`] });
        await api.say('told', 'What is my key?');
        answers.push(String((await api.get('/chats/told/log')).body));
        answers.push(JSON.stringify((await server.api.bearing(ADMIN_KEY).get('/keys')).body));
        const secrets = { key: key.split('_')[2]!, ADMIN_KEY, ticket, token, ...secretOf(JWT) };
        for (const [name, secret] of Object.entries(secrets)) {
          expect([name, log.filter((line) => line.includes(secret))]).toEqual([name, []]);
          expect([name, answers.filter((text) => text.includes(secret))]).toEqual([name, []]);
        }
        expect(log.join('')).toContain('GET /chats/nowhere/events 404');
        expect(answers.join('')).toContain(id);
      } finally {
        await server.stop();
        await opened.close();
      }
    });
  });
}

function secretOf({ JWT_SECRET }: typeof JWT): { readonly JWT_SECRET: string } {
  return { JWT_SECRET };
}
