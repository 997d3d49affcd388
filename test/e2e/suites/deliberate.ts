import { checkConversation } from '../../support/runs/check-conversation.js';
import type { FakeAnswer } from '../../support/model/fake-openai.js';
import type { Following } from '../../support/store/following.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

/** What the model says, by what it is asked; the first part that is found counts. */
type Says = readonly (readonly [part: string, text: string | object])[];

const AMBIGUITY = 'can be understood in ways so different';
const MISSING = 'Decide whether something is missing';
const PARTS = 'Decide which parts';
const UNCERTAINTY = 'Decide whether, after all';
const WORK = 'You work on the user';
const SUMMARY = 'Answer the user';
const DECLINED = 'would not tell what is missing';

const CLEAR: Says = [
  [AMBIGUITY, { ambiguous: false }],
  [MISSING, { questions: [] }],
  [PARTS, { tasks: [] }],
  [UNCERTAINTY, { uncertain: false }],
  [WORK, 'The work.'],
];

function saying(...says: Says): Extract<FakeAnswer, Function> {
  return (body) => {
    const messages = body['messages'] as readonly { content: string | null }[];
    const shown = [messages.at(-1)!.content, messages[0]!.content].map(String);
    const found = says.find(([part]) => shown.some((text) => text.includes(part)));
    const text = found?.[1] ?? 'I would not know.';
    return { text: typeof text === 'string' ? text : JSON.stringify(text) };
  };
}

export function describeDeliberate(servers: Servers): void {
  describe('The agent deliberate', () => {
    withPeople(servers, {}, (server, person) => {
      const begin = (chat: string, ...says: Says): Promise<Following> => {
        server.fake.otherwise(saying(...says, ...CLEAR));
        return person.say(chat, { user_message: 'Plan a trip', agent: 'deliberate' });
      };
      const respond = async (following: Following, n: number, answer: string | null) => {
        const { request_id, question } = await following.record('INPUT_REQUIRED', n);
        await person.respond(following.of, request_id, answer);
        return question;
      };

      it('just answers what is clear', async () => {
        const reader = await (await begin('clear')).end();
        expect(reader.faults).toEqual([]);
        expect(reader.list('ANSWER')).toMatchObject([{ content: 'The work.' }]);
        expect(reader.list('MESSAGE')).toEqual([]);
        expect(reader.types).not.toContain('INPUT_REQUIRED');
      });

      it('asks, has parts looked into, asks once more, and sums up; also when its process dies on the way', async () => {
        const following = await begin(
          'whole',
          [AMBIGUITY, { ambiguous: true, question: 'Where to?', options: ['Rome', 'Oslo'] }],
          [MISSING, { questions: ['When?', 'Who?'] }],
          [PARTS, { tasks: ['Look for trains', 'Look for beds'] }],
          [UNCERTAINTY, { uncertain: true, question: 'By night?' }],
          [SUMMARY, 'Take the night train.'],
          ['Look for trains', 'There is one.'],
          ['Look for beds', 'There are two.'],
        );
        expect(await respond(following, 1, 'Oslo')).toBe('Where to?');
        await following.record('INPUT_REQUIRED', 2);
        await server.restart();
        await following.resume(server.api);
        expect(await respond(following, 2, 'In May')).toBe('When?');
        expect(await respond(following, 3, 'Two of us')).toBe('Who?');
        expect(await respond(following, 4, 'Yes')).toBe('By night?');
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        expect(reader.list('INPUT_REQUIRED')[0]).toMatchObject({ options: ['Rome', 'Oslo'] });
        expect(reader.list('AGENT_STARTED').map(({ prompt }) => prompt)).toEqual([
          expect.stringMatching(/^Look for trains[^]*Where to\?\n {2}Oslo/),
          expect.stringMatching(/^Look for beds[^]*When\?\n {2}In May/),
        ]);
        expect(reader.list('AGENT_COMPLETED')).toHaveLength(2);
        expect(reader.list('ANSWER').at(-1)).toMatchObject({ content: 'Take the night train.' });
        const asked = JSON.stringify(server.fake.requests.at(-1)!.body['messages']);
        for (const known of ['There is one.', 'There are two.', 'In May', 'By night?'])
          expect(asked).toContain(known);
        expect(reader.list('NOTICE').at(-1)).toMatchObject({
          code: 'deliberated',
          message: expect.stringMatching(/asked: 4, answered: 4.*others: 2, with a result: 2/),
        });
        const { messages } = (await server.api.interaction(following.of)).final_agent_state!;
        expect(checkConversation(messages)).toEqual([]);
        expect(messages.at(-1)).toMatchObject({ content: 'Take the night train.' });
      });

      it('ends with what is known when it is not told what is missing', async () => {
        const following = await begin(
          'never-told',
          [MISSING, { questions: ['When?', 'Who?'] }],
          [DECLINED, 'Then I can only guess.'],
        );
        await respond(following, 1, null);
        const reader = await following.end();
        expect(reader.list('INPUT_REQUIRED')).toHaveLength(1);
        expect(reader.list('ANSWER')).toMatchObject([{ content: 'Then I can only guess.' }]);
        expect(reader.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
      });

      it('decides again with the answers, and asks in three rounds at most', async () => {
        const asked: string[] = [];
        const decide: FakeAnswer = (body) => {
          const shown = JSON.stringify(body['messages']);
          if (!shown.includes(MISSING)) return saying(...CLEAR)(body);
          asked.push(shown);
          return { text: JSON.stringify({ questions: [`Question ${asked.length}?`] }) };
        };
        server.fake.otherwise(decide);
        const start = { user_message: 'Plan a trip', agent: 'deliberate' };
        const following = await person.say('rounds', start);
        for (let n = 1; n <= 3; n++)
          expect(await respond(following, n, `Answer ${n}`)).toBe(`Question ${n}?`);
        const reader = await following.end();
        expect(asked).toHaveLength(3);
        expect(asked[2]).toContain('Answer 2');
        expect(reader.list('INPUT_REQUIRED')).toHaveLength(3);
        expect((await server.api.interaction(following.of)).metadata).toEqual({
          deliberation: { rounds: 3, questions: 3, answered: 3, parts: 0, parts_with_result: 0 },
        });
      });

      it('works with a model that can’t decide anything', async () => {
        server.fake.otherwise({ text: 'I would not know.' });
        const start = { user_message: 'Plan a trip', agent: 'deliberate' };
        const reader = await (await person.say('poor', start)).end();
        expect(reader.faults).toEqual([]);
        expect(reader.list('NOTICE').map(({ code }) => code)).toContain('undecided');
        expect(reader.list('ANSWER')).toMatchObject([{ content: 'I would not know.' }]);
      });
    });
  });
}
