import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ReceiverHealth } from '../../../src/webhooks/receiver-health.js';
import { Telemetry } from '../../../src/telemetry/telemetry.js';
import { eventually } from '../../support/eventually.js';
import { Person } from '../../support/client/person.js';
import { playScript, script } from '../../support/model/scripted-answers.js';
import { HumanTestModule } from '../../support/runs/human-test.module.js';
import { WebhookReceiver } from '../../support/server/webhook-receiver.js';
import type { Behaviour, Received } from '../../support/server/webhook-receiver.js';
import type { Servers } from '../servers.js';

const SECRET = 'the-secret-of-the-receiver';
const HOUR_MS = 3_600_000;
/** No entry waits longer for its next attempt. */
const LONGEST_DELAY_MS = HOUR_MS;
/** A receiver that has not answered by then has failed. */
const ATTEMPT_MS = 10_000;
const ASKS = script({ calls: [{ name: 'calculator', arguments: { expression: '6*7' } }] });

export function describeWebhooks(servers: Servers): void {
  describe('A receiver of webhooks', () => {
    let receiver: WebhookReceiver;
    beforeAll(async () => {
      receiver = await WebhookReceiver.start();
    });
    afterAll(() => receiver.stop());
    afterEach(() => {
      receiver.behaviour = 200;
    });

    servers.run(
      () => ({ WEBHOOK_URL: receiver.url, WEBHOOK_SECRET: SECRET }),
      (server) => {
        const person = new Person(() => server.api);
        beforeAll(() => server.fake.otherwise(playScript));
        const arrived = async (chat: string, count: number): Promise<readonly Received[]> => {
          await eventually(() => receiver.of(chat).length >= count);
          return receiver.of(chat);
        };
        /** Of the processes that have failed to deliver. */
        const details = (): string[] =>
          server
            .getAll(ReceiverHealth)
            .flatMap(({ awaySince, detail }) => (awaySince ? detail : []));
        let ended = 0;
        beforeAll(() => {
          for (const telemetry of server.getAll(Telemetry))
            telemetry.on('webhook_ended', () => ended++);
        });
        /** Until no attempt is under way, which would fail or be repeated if the time passed. */
        const settled = async (): Promise<void> => {
          while (ended < receiver.received.length) {
            const { length } = receiver.received;
            if (receiver.received.at(-1)!.answered === 'hang') server.clock.pass(ATTEMPT_MS);
            await eventually(() => ended >= length);
          }
        };
        const untilDelivered = async (): Promise<void> => {
          await settled();
          server.clock.pass(LONGEST_DELAY_MS);
          await eventually(async () => (await server.stores.webhooks.count()).waiting === 0);
        };
        const nextAttempt = async (chat: string): Promise<void> => {
          await settled();
          const { length } = receiver.of(chat);
          server.clock.pass(LONGEST_DELAY_MS);
          await eventually(() => receiver.of(chat).length > length);
          await settled();
        };

        it('is told of each request and each end, signed', async () => {
          const waits = await person.say('hooks', ASKS);
          const { approval_id } = await waits.record('APPROVAL_REQUIRED');
          const [opened] = await arrived('hooks', 1);
          expect(opened!.body).toMatchObject({
            ...{ id: approval_id, type: 'request_opened', tenant_id: 'default' },
            ...{ chat_id: 'hooks', interaction_id: waits.of.id },
            request: { id: approval_id, kind: 'approval', status: 'pending' },
          });
          const [inInbox] = (await person.inbox('status=pending&chat_id=hooks')).body.items;
          expect(opened!.body['request']).toEqual(inInbox);
          await person.approve(waits.of, approval_id);
          await waits.end();
          const [, ended] = await arrived('hooks', 2);
          const { body } = await server.api.get(`/chats/hooks/interactions/${waits.of.id}`);
          expect(ended!.body).toEqual({
            ...{ id: ended!.delivery, type: 'interaction_complete', at: body.completed_at },
            ...{ tenant_id: 'default', chat_id: 'hooks', interaction_id: waits.of.id },
            interaction: {
              ...{ id: waits.of.id, chat_id: 'hooks', status: 'COMPLETED', agent: 'react' },
              ...{ model: 'openai/fake', usage: body.usage, error: null, answer: 'Done.' },
              ...{ created_at: body.created_at, completed_at: body.completed_at },
            },
          });
          const verify = await verifierOfTheDocs();
          const now = server.clock.now().getTime() / 1000;
          for (const { text, signature, headers, delivery, body: sent } of [opened!, ended!]) {
            expect(headers['content-type']).toBe('application/json');
            expect(sent.id).toBe(delivery);
            expect(verify(text, signature, { secret: SECRET, now })).toBe(true);
            expect(verify(`${text} `, signature, { secret: SECRET, now })).toBe(false);
            expect(verify(text, signature, { secret: `${SECRET}!`, now })).toBe(false);
            expect(verify(text, signature, { secret: SECRET, now: now + 400 })).toBe(false);
          }
        });

        it('is told of an interaction that was cancelled in the queue, and of no import', async () => {
          const holds = await server.api.begin('hooks-queue', script({ hang: true }));
          const more = { user_message: 'Then', on_conflict: 'enqueue' };
          const waits = await server.api.begin('hooks-queue', more);
          for (const each of [waits, holds]) await person.cancel(each, '?wait=true');
          const both = await arrived('hooks-queue', 2);
          const told = both.map(({ body }) => body['interaction']);
          for (const { id } of [waits, holds])
            expect(told).toContainEqual(
              expect.objectContaining({ id, status: 'CANCELLED', answer: null }),
            );
          const body = String((await server.api.get('/chats/hooks-queue/log')).body);
          await untilDelivered();
          const { length } = receiver.received;
          const headers = { 'content-type': 'application/x-ndjson' };
          const imported = await server.api.send('POST', '/chats/import', { body, headers });
          expect(imported.status).toBe(201);
          await server.api.say('hooks-after', 'Hello');
          await arrived('hooks-after', 1);
          expect(receiver.received).toHaveLength(length + 1);
        });

        it.each<[Behaviour, RegExp]>([
          [500, /^answered 500; waiting: 1, given up: 0$/],
          [302, /^answered 302; redirects are not followed; waiting: 1, given up: 0$/],
          ['hang', /^no answer within 10 s; waiting: 1, given up: 0$/],
        ])('that answers %s for a day is tried again, and delays no run', async (bad, detail) => {
          const chat = `hooks-${bad}`;
          receiver.behaviour = bad;
          for (const text of ['Hello', 'Are you there?']) await server.api.say(chat, text);
          await arrived(chat, 2); // if it hangs, both hang now
          await server.api.say(`${chat}-beside`, 'Hello');
          await arrived(`${chat}-beside`, 1);
          receiver.behaviour = 200;
          await untilDelivered();
          receiver.behaviour = bad;
          await server.api.say(`${chat}-day`, 'Hello');
          await arrived(`${chat}-day`, 1); // an attempt that time passes before ends without it
          const day = server.clock.now().getTime() + 24 * HOUR_MS;
          while (server.clock.now().getTime() < day) await nextAttempt(`${chat}-day`);
          await eventually(() => details().some((each) => detail.test(each)));
          if (!servers.store.isCluster)
            expect((await server.api.get('/health/ready')).body).toMatchObject({
              ...{ status: 'degraded' },
              degraded: [{ dependency: 'webhook receiver', detail: expect.stringMatching(detail) }],
            });
          receiver.behaviour = 200;
          await untilDelivered();
          const all = receiver.of(`${chat}-day`);
          expect(all.length).toBeGreaterThan(15);
          expect(new Set(all.map(({ delivery }) => delivery)).size).toBe(1);
          expect(new Set(all.map(({ signature }) => signature)).size).toBeGreaterThan(15);
          for (const each of [chat, `${chat}-beside`, `${chat}-day`])
            expect(receiver.of(each).map(({ answered }) => answered)).toContain(200);
          expect(await server.stores.webhooks.count()).toEqual({ waiting: 0, failed: 0 });
          expect(receiver.paths).toEqual(new Set(['/hook']));
          expect(details()).toEqual([]);
        });

        it('that stays away for days is given up, which is counted', async () => {
          receiver.behaviour = 503;
          await server.api.say('hooks-lost', 'Hello');
          await arrived('hooks-lost', 1);
          await settled();
          const failed = async () => (await server.stores.webhooks.count()).failed;
          server.clock.pass(73 * HOUR_MS);
          await eventually(async () => (await failed()) === 1);
          await settled();
          const { body } = await server.api.get('/metrics');
          if (!servers.store.isCluster)
            expect(body).toMatch(/^parley_webhook_deliveries_total\{outcome="failed"\} 1$/m);
          const { length } = receiver.of('hooks-lost');
          receiver.behaviour = 200;
          await server.api.say('hooks-found', 'Hello');
          await arrived('hooks-found', 1);
          expect(receiver.of('hooks-lost')).toHaveLength(length);
          server.clock.pass(8 * 24 * HOUR_MS);
          await eventually(async () => (await failed()) === 0);
        });

        it('gets after a restart what was waiting', async () => {
          receiver.behaviour = 500;
          await server.api.say('hooks-restart', 'Hello');
          const [first] = await arrived('hooks-restart', 1);
          await server.restart();
          receiver.behaviour = 200;
          server.clock.pass(HOUR_MS);
          const all = await arrived('hooks-restart', 2);
          expect(all.at(-1)!.delivery).toBe(first!.delivery);
        });
      },
      { modules: [HumanTestModule], isOwn: true },
    );
  });
}

type Verify = (
  body: string,
  signature: string,
  options: { readonly secret: string; readonly now: number },
) => boolean;

/** The function of docs/webhooks.md. */
async function verifierOfTheDocs(): Promise<Verify> {
  const text = await readFile('docs/webhooks.md', 'utf8');
  const [, code] = /```js\n([\s\S]*?)```/.exec(text) ?? [];
  const folder = await mkdtemp(join(tmpdir(), 'parley-docs-'));
  try {
    const path = join(folder, 'verify.mjs');
    await writeFile(path, code!);
    const { isGenuine } = (await import(pathToFileURL(path).href)) as { isGenuine: Verify };
    return isGenuine;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
