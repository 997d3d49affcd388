import { Injectable, Module } from '@nestjs/common';
import type { AgentContext } from '../../../src/agents/agent-context.js';
import { AgentType } from '../../../src/agents/agent-type.decorator.js';
import { Agent } from '../../../src/agents/agent.js';
import type { Message } from '../../../src/protocol/message.js';
import { linesOf, toLog } from '../../chats/session-log/session-log-world.js';
import { Person } from '../../support/client/person.js';
import type { Following } from '../../support/store/following.js';
import type { Servers } from '../servers.js';

const NDJSON = { 'content-type': 'application/x-ndjson' };
const DECLINED = '[The user declined to answer, or did not answer in time.]';

/** Says something, asks two questions, and lets the model answer. */
@Injectable()
@AgentType({ name: 'hearer', description: 'Says, asks, and answers.' })
class HearerAgent extends Agent {
  async run(ctx: AgentContext): Promise<void> {
    await ctx.say('Let me see.');
    await ctx.ask('Which colour?', { options: ['red', 'blue'] });
    await ctx.ask('Why?');
    await ctx.generate();
  }
}

/** Returns what its model answered, changed; or as it is, asked to. */
@Injectable()
@AgentType({ name: 'signer', description: 'Signs its answer.' })
class SignerAgent extends Agent {
  async run(ctx: AgentContext): Promise<string> {
    const { text } = await ctx.generate();
    return ctx.agent.metadata['plain'] ? text : `${text} (signed)`;
  }
}

/** Has its answer approved by the user, and returns another. */
@Injectable()
@AgentType({ name: 'reviser', description: 'Asks whether its answer is fine.' })
class ReviserAgent extends Agent {
  async run(ctx: AgentContext): Promise<string> {
    await ctx.generate();
    return `Better: ${await ctx.ask('What is wrong with it?')}`;
  }
}

@Module({ providers: [HearerAgent, SignerAgent, ReviserAgent] })
class TextsModule {}

/** What the agent has said and heard, and its answer. */
const HEARD: readonly Message[] = [
  { role: 'user', content: 'Paint it' },
  { role: 'assistant', content: 'Let me see.' },
  { role: 'assistant', content: 'Which colour?\n- red\n- blue' },
  { role: 'user', content: 'PURPLE' },
  { role: 'assistant', content: 'Why?' },
  { role: 'user', content: DECLINED },
  { role: 'assistant', content: 'Painted.' },
];

export function describeAgentTexts(servers: Servers): void {
  describe("The texts of an agent's own code", () => {
    servers.run(
      {},
      (server) => {
        const person = new Person(() => server.api);
        const lastAsked = (): unknown => server.fake.requests.at(-1)!.body['messages'];
        const stateOf = async ({ of }: Following): Promise<unknown> =>
          (await server.api.interaction(of)).final_agent_state?.messages;
        const respond = async (following: Following, n: number, answer: string | null) => {
          const { request_id } = await following.record('INPUT_REQUIRED', n);
          await person.respond(following.of, request_id, answer);
        };
        /** Over a restart between its questions. */
        const hear = async (chat: string): Promise<Following> => {
          server.fake.otherwise({ text: 'Painted.' });
          const start = { user_message: 'Paint it', agent: 'hearer' };
          const following = await person.say(chat, start);
          await respond(following, 1, 'PURPLE');
          await following.record('INPUT_REQUIRED', 2);
          await server.restart();
          await following.resume(server.api);
          await respond(following, 2, null);
          expect((await following.end()).faults).toEqual([]);
          return following;
        };

        it('join its conversation with the answers, also after a restart, and the next message knows them', async () => {
          const following = await hear('heard');
          expect(lastAsked()).toMatchObject(HEARD.slice(0, -1));
          expect(await stateOf(following)).toEqual(HEARD);
          const { agent_id } = await following.record('INTERACTION_STARTED', 1);
          const agent = (await server.api.get(`/agents/${agent_id}`)).body;
          expect(agent.messages).toEqual(HEARD);
          const asked = (user_message: string): unknown[] => [
            ...HEARD,
            { role: 'user', content: user_message },
          ];
          const next = await server.api.begin('heard', { user_message: 'Why?', agent: 'react' });
          await server.api.follow(next);
          expect(lastAsked()).toEqual(asked('Why?'));
          await server.api.follow((await person.edit(next, 'How?')).body);
          expect(lastAsked()).toEqual(asked('How?'));
        });

        it('replace the answer of its model when it returns another, and repeat none', async () => {
          server.fake.otherwise({ text: 'Yes.' });
          const start = { user_message: 'Sure?', agent: 'signer' };
          const { of } = await person.say('signed', start);
          const reader = await server.api.follow(of);
          const [streamed, returned] = reader.list('ANSWER');
          expect(streamed).toMatchObject({ content: 'Yes.' });
          expect(streamed).not.toHaveProperty('replaces');
          const { block_id } = streamed!;
          expect(returned).toMatchObject({ content: 'Yes. (signed)', replaces: block_id });
          const messages = [
            { role: 'user', content: 'Sure?' },
            { role: 'assistant', content: 'Yes. (signed)' },
          ];
          const ended = await server.api.interaction(of);
          expect([ended.answer, ended.final_agent_state!.messages]).toEqual([
            'Yes. (signed)',
            messages,
          ]);
          const agent = (await server.api.get(`/agents/${streamed!.agent_id}`)).body;
          expect(agent.messages).toEqual(messages);
          await server.restart();
          const plain = { ...start, metadata: { plain: true } };
          const next = await server.api.say('signed', plain);
          expect(lastAsked()).toEqual([...messages, messages[0]]);
          expect(next.list('ANSWER')).toMatchObject([{ content: 'Yes.' }]);
        });

        it('do not replace an answer that the user has replied to', async () => {
          server.fake.otherwise({ text: 'Long.' });
          const following = await person.say('revised', {
            user_message: 'Write',
            agent: 'reviser',
          });
          await respond(following, 1, 'length');
          const reader = await following.end();
          expect(reader.list('ANSWER').at(-1)).not.toHaveProperty('replaces');
          expect(await stateOf(following)).toMatchObject([
            ...[{ content: 'Write' }, { content: 'Long.' }],
            ...[{ content: 'What is wrong with it?' }, { content: 'length' }],
            { content: 'Better: length' },
          ]);
        });

        it('are in an imported chat, unless its log was written before they joined', async () => {
          await hear('to-export');
          const log = (await server.api.get('/chats/to-export/log')).body as string;
          const read = async (lines: readonly object[]): Promise<unknown> => {
            const { id } = (await server.api.post('/chats/import', toLog(lines), NDJSON)).body;
            const { interactions } = (await server.api.get(`/chats/${id}?state=all`)).body;
            return interactions[0].final_agent_state.messages;
          };
          expect(await read(linesOf(log))).toEqual(HEARD);
          const unmarked = ['MESSAGE', 'INPUT_REQUIRED', 'INPUT_RECEIVED'];
          const before = linesOf(log).map((line) =>
            unmarked.includes(line['body']?.type) ? { ...line, hidden: null } : line,
          );
          expect(await read(before)).toEqual([HEARD[0], HEARD.at(-1)]);
        });
      },
      { modules: [TextsModule] },
    );
  });
}
