import { checkConversation } from '../../support/runs/check-conversation.js';
import { eventually } from '../../support/eventually.js';
import type { Following } from '../../support/store/following.js';
import type { Person } from '../../support/client/person.js';
import { resumeAfterEach } from '../../support/client/resume-after-each.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers, ServerUnderTest } from '../servers.js';
import { withPeople } from '../with-people.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

type Interacted = Pick<Interaction, 'chat_id' | 'id'>;
type Interlude = (server: ServerUnderTest, following: Following) => Promise<unknown>;

const child = (prompt: string) => ({ name: 'agent', arguments: { prompt } });
const CALCULATION = { name: 'calculator', arguments: { expression: '6*7' } };
const QUESTION = { name: 'ask_human', arguments: { question: 'Well?' } };
/** Two children: one has to be approved, the child of the other asks. */
const FAMILY = script({
  calls: [
    child(script({ calls: [CALCULATION] })),
    child(script({ calls: [child(script({ calls: [QUESTION] }))] })),
  ],
});

const parked: Interlude = (server, { of }) => eventually(() => !server.runs(of.id));
const restarted: Interlude = async (server, following) => {
  await server.restart();
  await following.resume(server.api);
};

async function waiting(following: Following): Promise<{ approval_id: string; request_id: string }> {
  const { approval_id, agent_id } = await following.record('APPROVAL_REQUIRED');
  const { request_id, agent_id: asker } = await following.record('INPUT_REQUIRED');
  const started = following.reader.list('AGENT_STARTED');
  expect(started).toHaveLength(3);
  expect(agent_id).not.toBe(asker);
  for (const id of [agent_id, asker])
    expect(started).toContainEqual(expect.objectContaining({ agent_id: id }));
  return { approval_id, request_id };
}

const WAYS: readonly (readonly [string, string, Interlude])[] = [
  ['in memory', '60000', async () => {}],
  ['parked as a whole', '0', parked],
  ['restarted', '60000', restarted],
];

export function describeChildren(servers: Servers): void {
  describe('A model that hands tasks to child agents', () => {
    for (const [way, PARK_AFTER_MS, interlude] of WAYS)
      describe(`while they wait ${way}`, () => {
        withPeople(servers, { PARK_AFTER_MS }, (server, person) => {
          const chat = way.replaceAll(' ', '-');

          it('gets their answers, and each person answers the one that asked', async () => {
            const following = await person.say(`family-${chat}`, FAMILY);
            const { approval_id, request_id } = await waiting(following);
            await interlude(server, following);
            await person.respond(following.of, request_id, 'Fine.');
            await following.record('AGENT_COMPLETED', 2);
            await interlude(server, following);
            await person.approve(following.of, approval_id);
            const reader = await following.end();
            expect(reader.faults).toEqual([]);
            expect(reader.find('INTERACTION_COMPLETE')).toMatchObject({ status: 'COMPLETED' });
            expect(reader.list('TOOL_RESULT').map(({ tool_output }) => tool_output)).toEqual([
              'Fine.',
              'Done.',
              'Done.',
              '42',
              'Done.',
            ]);
            expect(reader.list('AGENT_COMPLETED').map(({ status }) => status)).toEqual(
              Array.from({ length: 3 }, () => 'completed'),
            );
            const { final_agent_state } = await server.api.interaction(following.of);
            expect(final_agent_state!.messages.map(({ role }) => role)).toEqual([
              'user',
              'assistant',
              'tool',
              'tool',
              'assistant',
            ]);
            expect(reader.list('ANSWER')).toHaveLength(1);
            for (const again of await resumeAfterEach(server.api, following.of, following.frames)) {
              expect(again.faults).toEqual([]);
              expect(again.records).toEqual(reader.records);
            }
          });

          it('is cancelled with all of them (I7)', async () => {
            const following = await person.say(`cancelled-${chat}`, FAMILY);
            await waiting(following);
            await interlude(server, following);
            await expectCancelled(server, person, following);
          });
        });
      });
  });
}

async function expectCancelled(
  server: ServerUnderTest,
  person: Person,
  following: Following,
): Promise<void> {
  const { status, body } = await person.cancel(following.of, '?wait=true');
  expect([status, body.status]).toEqual([200, 'CANCELLED']);
  const kinds: string[] = body.stopped.map(({ kind }: { kind: string }) => kind);
  expect(kinds.filter((kind) => kind === 'agent')).toHaveLength(3);
  const reader = await following.end();
  expect(reader.faults).toEqual([]);
  expect(reader.list('AGENT_COMPLETED').map((end) => end.status)).toEqual(
    Array.from({ length: 3 }, () => 'cancelled'),
  );
  expect((await person.inbox('status=pending&chat_id=cancelled')).body.items).toEqual([]);
  const of: Interacted = following.of;
  const { final_agent_state } = await server.api.interaction(of);
  expect(checkConversation(final_agent_state!.messages)).toEqual([]);
}
