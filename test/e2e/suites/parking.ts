import { ANY_TENANT } from '../../../src/persistence/any-tenant.js';
import type { Reply } from '../../support/client/api-client.js';
import type { EventReader } from '../../support/client/event-reader.js';
import { eventually } from '../../support/eventually.js';
import type { Following } from '../../support/store/following.js';
import { DeedTool } from '../../support/runs/human-test.module.js';
import type { Person } from '../../support/client/person.js';
import { resumeAfterEach } from '../../support/client/resume-after-each.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { withPeople } from '../with-people.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

type Interacted = Pick<Interaction, 'chat_id' | 'id'>;

const calculate = (expression: string) => ({ name: 'calculator', arguments: { expression } });
const deed = (what: string) => ({ name: 'deed', arguments: { what } });
const ask = (...questions: string[]) => ({ name: 'interview', arguments: { questions } });

/** Resolves when no process has a run of it: it is a row and nothing else (I11). */
const parked = (server: ServerUnderTest, { id }: Interacted) => eventually(() => !server.runs(id));

export function describeParking(servers: Servers): void {
  describe('A run that waits for people', () => {
    withPeople(servers, { PARK_AFTER_MS: '0' }, (server, person) => {
      const statusOf = async (of: Interacted) => (await server.api.interaction(of)).status;
      const epochOf = async ({ id }: Interacted) =>
        (await server.stores.interactions.findInteraction(id, ANY_TENANT))!.epoch;

      it('is parked, and rests until somebody decides (I11)', async () => {
        const following = await person.say('rests', script({ calls: [calculate('6*7')] }));
        const { approval_id } = await following.record('APPROVAL_REQUIRED');
        await parked(server, following.of);
        const epoch = await epochOf(following.of);
        // By the time that this one is parked, the other would have been taken up again.
        const later = await person.say('later', script({ calls: [calculate('1+1')] }));
        await later.record('APPROVAL_REQUIRED');
        await parked(server, later.of);
        expect(server.runs(following.of.id)).toBe(false);
        expect(await epochOf(following.of)).toBe(epoch);
        expect(await statusOf(following.of)).toBe('WAITING_APPROVAL');
        expect((await person.inbox('status=pending&chat_id=rests')).body.items).toHaveLength(1);

        await person.approve(following.of, approval_id);
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.types).not.toContain('RESUMED');
        expect(reader.find('TOOL_RESULT')).toMatchObject({ tool_output: '42' });
        await person.cancel(later.of);
        await later.end();
      });

      it('is the same to its readers as one that was never parked, wherever they come back (I2)', async () => {
        const following = await person.say('same', STORY);
        await tell(following, person, () => parked(server, following.of));
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.types).not.toContain('RESUMED');
        expect(await epochOf(following.of)).toBeGreaterThan(3);
        for (const again of await resumeAfterEach(server.api, following.of, following.frames)) {
          expect(again.faults).toEqual([]);
          expect(again.records).toEqual(reader.records);
        }
      });

      it('goes on after several questions of one tool, and asks none twice', async () => {
        const following = await person.say(
          'interview',
          script({ calls: [ask('One?', 'Two?')] }, { calls: [calculate('6*7')] }),
        );
        const answers = ['first', 'second'];
        for (const [n, answer] of answers.entries()) {
          const { request_id } = await following.record('INPUT_REQUIRED', n + 1);
          await parked(server, following.of);
          expect(await statusOf(following.of)).toBe('WAITING_INPUT');
          expect((await person.respond(following.of, request_id, answer)).status).toBe(200);
        }
        const { approval_id } = await following.record('APPROVAL_REQUIRED');
        await parked(server, following.of);
        await person.approve(following.of, approval_id);
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.list('INPUT_REQUIRED').map(({ question }) => question)).toEqual([
          'One?',
          'Two?',
        ]);
        expect(reader.list('TOOL_RESULT').map(({ tool_output }) => tool_output)).toEqual([
          JSON.stringify(answers),
          '42',
        ]);
      });

      it('says what it waits for, whatever was decided while it was parked', async () => {
        const calls = [calculate('1+1'), calculate('2+2'), ask('Well?')];
        const following = await person.say('statuses', script({ calls }));
        const asked = [
          await following.record('APPROVAL_REQUIRED', 1),
          await following.record('APPROVAL_REQUIRED', 2),
        ];
        const { request_id } = await following.record('INPUT_REQUIRED');
        const { of } = following;
        await parked(server, of);
        expect(await statusOf(of)).toBe('WAITING_APPROVAL');
        await person.approve(of, asked[0]!.approval_id);
        await following.record('TOOL_RESULT', 1);
        expect(await statusOf(of)).toBe('WAITING_APPROVAL');
        await parked(server, of);
        await person.reject(of, asked[1]!.approval_id);
        await following.record('TOOL_RESULT', 2);
        expect(await statusOf(of)).toBe('WAITING_INPUT');
        await parked(server, of);
        expect(await statusOf(of)).toBe('WAITING_INPUT');
        await person.respond(of, request_id, 'Well.');
        expect((await following.end()).faults).toEqual([]);
        expect(await statusOf(of)).toBe('COMPLETED');
      });

      it('takes all that was decided before it wakes', async () => {
        const calls = ['1+1', '2+2', '3+3', '4+4'].map(calculate);
        const following = await person.say('many', script({ calls }));
        await following.record('APPROVAL_REQUIRED', calls.length);
        const asked = following.reader.list('APPROVAL_REQUIRED');
        await parked(server, following.of);
        const replies = await Promise.all(
          asked.map(({ approval_id }, n) =>
            n % 2 === 0
              ? person.approve(following.of, approval_id)
              : person.reject(following.of, approval_id),
          ),
        );
        expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.list('TOOL_RESULT').filter(({ is_error }) => is_error)).toHaveLength(2);
        expect(reader.types.filter((type) => type === 'TOOL_STARTED')).toHaveLength(2);
      });

      it('is not parked while a branch of its agent works on', async () => {
        const following = await person.say('branches', { user_message: 'Go', agent: 'brancher' });
        const { request_id } = await following.record('INPUT_REQUIRED');
        await following.record('NOTICE');
        await person.respond(following.of, request_id, 'Yes');
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.find('ANSWER')).toMatchObject({ content: 'Yes after 3 steps.' });
      });

      it('is cancelled where it rests, and its requests are closed', async () => {
        const calls = [calculate('6*7'), ask('Well?')];
        const following = await person.say('cancelled-parked', script({ calls }));
        await following.record('APPROVAL_REQUIRED');
        await following.record('INPUT_REQUIRED');
        await parked(server, following.of);
        const reply = await person.cancel(following.of, '?wait=true');
        expect([reply.status, reply.body]).toMatchObject([
          200,
          { status: 'CANCELLED', stopped: [{ kind: 'tool', name: 'interview', state: 'stopped' }] },
        ]);
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.types).not.toContain('RESUMED');
        expect(reader.types.slice(-5)).toEqual([
          'REJECTED',
          'TOOL_RESULT',
          'TOOL_RESULT',
          'CANCELLED',
          'INTERACTION_COMPLETE',
        ]);
        expect(reader.find('REJECTED')).toMatchObject({ by: { kind: 'system' }, cause: 'cancel' });
        expect((await person.inbox('status=pending&chat_id=cancelled')).body.items).toEqual([]);
      });
    });
  });

  describe('What is decided while a run is in memory, parked, or after a restart', () => {
    let first: EventReader | undefined;
    const restart: Interlude = async (server, following) => {
      await server.restart();
      await following.resume(server.api);
    };
    const ways: readonly (readonly [string, string, Interlude])[] = [
      ['in memory', '60000', async () => {}],
      ['parked', '0', (server, { of }) => parked(server, of)],
      ['restarted while it was in memory', '60000', restart],
      [
        'restarted while it was parked',
        '0',
        async (server, following) => {
          await parked(server, following.of);
          await restart(server, following);
        },
      ],
    ];

    for (const [way, PARK_AFTER_MS, interlude] of ways)
      describe(way, () => {
        withPeople(servers, { PARK_AFTER_MS }, (server, person) => {
          it('gives the same stream', async () => {
            DeedTool.done.length = 0;
            const following = await person.say(`story-${way.replaceAll(' ', '-')}`, STORY);
            await tell(following, person, () => interlude(server, following));
            const reader = await following.end();
            expect(reader.faults).toEqual([]);
            expect(reader.types).not.toContain('RESUMED');
            expect(DeedTool.done).toEqual(['the other', 'that']);
            first ??= reader;
            expect(essenceOf(reader)).toEqual(essenceOf(first));
          });
        });
      });
  });
}

type Interlude = (server: ServerUnderTest, following: Following) => Promise<void>;

/** Approvals of two calls at once, then tools that ask. */
const STORY = script(
  { thinking: 'Careful.', text: 'May I?', calls: [deed('that'), deed('this')] },
  { calls: [ask('One?', 'Two?')] },
  { calls: [{ name: 'ask_human', arguments: { question: 'Three?' } }] },
  { text: 'All done.' },
);

/** Settles what the story asks for; `interlude` before each, when the run only waits. */
async function tell(
  following: Following,
  person: Person,
  interlude: () => Promise<void>,
): Promise<void> {
  const { of } = following;
  const modified_input = { what: 'the other' };
  const settle = async (decide: () => Promise<Reply>) => {
    await interlude();
    expect((await decide()).status).toBe(200);
  };
  await following.record('APPROVAL_REQUIRED', 2);
  const approvalOf = (what: string) =>
    following.reader.list('APPROVAL_REQUIRED').find(({ tool_input }) => tool_input.includes(what))!
      .approval_id;
  await settle(() =>
    person.approve(of, approvalOf('this'), { modified_input, reason: 'Rather this' }),
  );
  await following.record('TOOL_RESULT');
  await settle(() => person.approve(of, approvalOf('that')));
  for (const [n, answer] of ['one', null, 'three'].entries()) {
    const { request_id } = await following.record('INPUT_REQUIRED', n + 1);
    await settle(() => person.respond(of, request_id, answer));
  }
}

/**
 * What a stream says, without what differs from one interaction to another: ids become numbers,
 * times and durations go.
 */
function essenceOf({ records }: EventReader): unknown {
  const ids: string[] = [];
  const numberOf = (id: string): number => (ids.includes(id) ? ids.indexOf(id) : ids.push(id) - 1);
  const essence = records.map((record) =>
    Object.entries(record)
      .filter(([field]) => !['at', 'seq', 'duration_ms'].includes(field))
      .map(([field, value]) => [field, /(^|_)id$/.test(field) ? numberOf(String(value)) : value]),
  );
  return essence.map((fields) => Object.fromEntries(fields));
}
