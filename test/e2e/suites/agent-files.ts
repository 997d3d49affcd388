import { mkdtempSync, rmSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentRegistry } from '../../../src/agents/agent-registry.js';
import { AgentFiles } from '../../../src/agents/files/agent-files.js';
import { eventually } from '../../support/eventually.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

const REVIEWER = `---
name: reviewer
description: Reviews changes.
tools: Calculator, current_*, WebFetch
model: openai/fake-large
max_iterations: 2
permissions:
  current_time: deny
---
You review, slowly.
`;
const CLOCK = { name: 'current_time', arguments: {} };
const SUM = { name: 'calculator', arguments: { expression: '6*7' } };

export function describeAgentFiles(servers: Servers): void {
  describe('An agent in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-agents-'));
    /** In one step, as editors do. */
    const write = async (name: string, text: string): Promise<void> => {
      await writeFile(join(folder, 'new'), text);
      await rename(join(folder, 'new'), join(folder, name));
    };
    beforeAll(() => write('reviewer.md', REVIEWER));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    withPeople(servers, { AGENTS_DIR: folder }, (server, person) => {
      const types = async () => (await server.api.get('/agent-types')).body;
      const lastRequest = () => server.fake.requests.at(-1)!.body;
      const typeOf = async (name: string) =>
        (await types()).items.find((type: { name: string }) => type.name === name);

      /** Each process watches the folder for itself, those that answer nobody too. */
      const everywhere = (isSo: (files: AgentFiles, agents: AgentRegistry) => boolean) => {
        const agents = server.getAll(AgentRegistry);
        const files = server.getAll(AgentFiles);
        return eventually(async () => {
          await Promise.all(files.map((each) => each.look()));
          return files.every((each, n) => isSo(each, agents[n]!));
        });
      };

      let tests = 0;
      beforeEach(async () => {
        const description = `Reviews changes, ${++tests}.`;
        await write('reviewer.md', REVIEWER.replace('Reviews changes.', description));
        await everywhere((_, agents) => agents.find('reviewer')?.type.description === description);
      });

      it('is a kind of agent like any other', async () => {
        expect(await typeOf('reviewer')).toEqual({
          ...{ name: 'reviewer', model: 'openai/fake-large', max_iterations: 2 },
          description: expect.stringContaining('Reviews changes'),
          source: expect.stringMatching(/\/reviewer\.md$/),
        });
        const { items: models } = (await server.api.get('/models')).body;
        expect(models).toContainEqual(
          expect.objectContaining({ model: 'openai/fake-large', agents: ['reviewer'] }),
        );
      });

      it('is not needed by a start that is repeated with its key', async () => {
        const key = { 'idempotency-key': 'gone' };
        const start = { user_message: script({ text: 'Reviewed.' }), agent: 'reviewer' };
        const first = await server.api.begin('gone', start, key);
        await server.api.follow(first);
        await rm(join(folder, 'reviewer.md'));
        await everywhere((_, agents) => !agents.find('reviewer'));
        const again = await server.api.say('gone', start, key);
        expect(again.records[0]).toMatchObject({ interaction_id: first.id, agent: 'reviewer' });
        const other = await server.api.post(
          '/chats/gone/interactions',
          { ...start, user_message: 'Other' },
          key,
        );
        expect(other.status).toBe(422);
      });

      it('has its own instructions, model, tools and rules', async () => {
        const say = script({ calls: [CLOCK, SUM] });
        const start = { user_message: say, agent: 'reviewer', approval_mode: 'auto' };
        const following = await person.say('own', start);
        const reader = await following.end();
        expect(reader.faults).toEqual([]);
        const { model, messages, tools } = lastRequest();
        expect(model).toBe('fake-large');
        expect(messages[0]).toMatchObject({ role: 'system', content: 'You review, slowly.' });
        const offered = tools.map((tool: { function: { name: string } }) => tool.function.name);
        expect(offered).toEqual(['calculator', 'current_time']);
        expect(reader.list('TOOL_RESULT')).toMatchObject([
          { tool_name: 'current_time', is_error: true },
          { tool_name: 'calculator', tool_output: '42' },
        ]);
        expect(await server.api.interaction(following.of)).toMatchObject({
          ...{ agent: 'reviewer', model: 'openai/fake-large', status: 'COMPLETED' },
        });
      });

      it('goes round its loop as often as it says, as a root and as a child', async () => {
        const endless = script({ calls: [SUM] }, { calls: [SUM] }, { calls: [SUM] });
        const reader = await server.api.say('often', { user_message: endless, agent: 'reviewer' });
        expect(reader.find('ERROR')).toMatchObject({ code: 'max_iterations' });
        expect(reader.list('TOOL_CALL')).toHaveLength(2);
        const call = { name: 'agent', arguments: { prompt: endless, agent_type: 'reviewer' } };
        const parent = await server.api.say('often-child', script({ calls: [call] }));
        expect(parent.find('AGENT_COMPLETED')).toMatchObject({ status: 'error' });
        expect(parent.list('TOOL_RESULT').at(-1)!.tool_output).toMatch(/after 2 turns/);
      });

      it('shows its rules, which go with it', async () => {
        const path = '/permissions/rules?scope=agent&scope_id=reviewer';
        const { items } = (await server.api.get(path)).body;
        expect(items).toMatchObject([
          { decision: 'deny', matcher: { type: 'tool', pattern: 'current_time' } },
        ]);
        const refused = await server.api.delete(`/permissions/rules/${items[0].id}`);
        expect([refused.status, refused.body.type]).toEqual([409, '/problems/rule_of_file']);
        expect(refused.body.detail).toContain('reviewer.md');
        await write('reviewer.md', REVIEWER.replace('current_time: deny', 'calculator: ask'));
        await eventually(async () => {
          const [rule] = (await server.api.get(path)).body.items;
          return rule.decision === 'ask';
        });
      });

      it('is read again when it changes; a fault is named by its line, and what it said before stays', async () => {
        const quick = REVIEWER.replace('slowly', 'quickly').replace('Reviews changes', 'Hurries');
        await write('reviewer.md', quick);
        await everywhere((_, agents) => agents.find('reviewer')?.type.description === 'Hurries.');
        const instructed = async () => {
          await server.api.say('changed', { user_message: 'Go', agent: 'reviewer' });
          return lastRequest()['messages'][0].content;
        };
        expect(await instructed()).toBe('You review, quickly.');
        await write('reviewer.md', REVIEWER.replace('max_iterations: 2', 'max_iterations: often'));
        await everywhere(({ faults }) => faults.length > 0);
        expect((await types()).faults).toEqual([
          {
            file: expect.stringMatching(/\/reviewer\.md$/),
            line: 6,
            message: 'max_iterations has to be a whole number',
          },
        ]);
        expect(await instructed()).toBe('You review, quickly.');
      });

      it('is gone with its file', async () => {
        await write('passing.md', '---\ndescription: Soon gone.\n---\nYou go.');
        await everywhere((_, agents) => agents.find('passing') !== undefined);
        await rm(join(folder, 'passing.md'));
        await everywhere((_, agents) => agents.find('passing') === undefined);
        const reply = await server.api.post('/chats/passing/interactions', {
          ...{ user_message: 'Go', agent: 'passing' },
        });
        expect([reply.status, reply.body.type]).toEqual([400, '/problems/unknown_agent']);
      });

      it.each([
        ['named as one of the server’s own', 'name: react', 2, /name "react" is that of an agent/],
        ['named as another file’s', 'name: reviewer', 2, /name "reviewer" is that of reviewer\.md/],
        ['with a model that there is not', 'model: nobody/x', 2, /model can’t be used: .*nobody/],
      ])('is not offered when it is %s', async (_, head, line, message) => {
        await write('wrong.md', `---\n${head}\ndescription: Wrong.\n---\nYou are wrong.`);
        await everywhere((files) => files.faults.length > 0);
        const { faults, items } = await types();
        expect(faults).toMatchObject([{ line, message: expect.stringMatching(message) }]);
        expect(items.filter(({ source }: { source: string | null }) => source)).toHaveLength(1);
        const start = { user_message: 'Go', agent: 'wrong' };
        const reply = await server.api.post('/chats/wrong/interactions', start);
        expect(reply.body.detail).toMatch(message);
        await rm(join(folder, 'wrong.md'));
        await everywhere((files) => files.faults.length === 0);
      });
    });
  });
}
