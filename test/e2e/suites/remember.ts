import type { RuleStore } from '../../../src/permissions/rules/rule-store.js';
import { Gate } from '../../support/gate.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';
import type { Interaction } from '../../../src/protocol/wire/interaction.js';

type Interacted = Pick<Interaction, 'chat_id' | 'id'>;

const deed = (what: string) => ({ name: 'deed', arguments: { what } });

export function describeRemember(servers: Servers): void {
  describe('A verdict that is to be remembered', () => {
    withPeople(
      servers,
      {},
      (server, person) => {
        /** Has the model do a deed in a chat where no rule says anything about that. */
        const attempt = async (chat: string, what: string) => {
          const following = await person.say(chat, script({ calls: [deed(what)] }));
          const asked = await Promise.race([
            following.record('APPROVAL_REQUIRED'),
            following.record('TOOL_RESULT').then(() => undefined),
          ]);
          return { following, of: following.of, approval_id: asked?.approval_id };
        };
        /** As a call without any rule on it. */
        const asks = async (chat: string, what: string) => {
          const { following, of, approval_id } = await attempt(chat, what);
          await person.cancel(of);
          await following.end();
          return approval_id !== undefined;
        };
        const resultOf = async (chat: string, what: string) => {
          const { following, approval_id } = await attempt(chat, what);
          expect(approval_id).toBeUndefined();
          return (await following.end()).find('TOOL_RESULT');
        };
        const check = async (tool_input: object, more: object) => {
          const call = { tool_name: 'deed', tool_input, ...more };
          return (await server.api.post('/permissions/check', call)).body.decision;
        };

        it.each([
          ['session', (chat: string) => chat],
          ['agent', () => 'react'],
          ['global', () => null],
        ] as const)(
          'as a rule of scope %s lets that call run, and no other',
          async (scope, idOf) => {
            const [chat, what] = [`kept-${scope}`, `this of ${scope}`];
            const { following, of, approval_id } = await attempt(chat, what);
            const { status, body } = await person.approve(of, approval_id!, { remember: scope });
            expect(status).toBe(200);
            const rule = {
              id: expect.stringMatching(/^rule_/),
              scope,
              scope_id: idOf(chat),
              priority: 0,
              decision: 'allow',
              matcher: { type: 'tool', pattern: 'deed', input: { what } },
              description: expect.any(String),
              expires_at: null,
              max_uses: null,
              created_at: expect.any(String),
              uses: 0,
            };
            expect(body).toEqual({ status: 'processed', approval_id, approved: true, rule });
            expect((await following.end()).faults).toEqual([]);
            const { items } = (await server.api.get(`/permissions/rules?scope=${scope}`)).body;
            expect(items).toContainEqual(body.rule);

            expect(await resultOf(chat, what)).toMatchObject({ tool_output: `Did ${what}.` });
            expect(await asks(chat, `${what} and more`)).toBe(true);
            expect(await asks(`else-${scope}`, what)).toBe(scope === 'session');
            const other = { chat_id: chat, agent: 'asker' };
            expect(await check({ what }, other)).toBe(scope === 'agent' ? 'ask' : 'allow');
            expect(await check({ what, twice: true }, other)).toBe('ask');
          },
        );

        it('is shown beforehand, with the earlier calls that it would have decided', async () => {
          const { following, of, approval_id } = await attempt('seen-before', 'this');
          const calls = ['this', 'that', 'this'].map((what) => ({
            tool_name: 'deed',
            tool_input: JSON.stringify({ what }),
          }));
          const asked = { approval_id, approved: true, remember: 'session' };
          const preview = await person.act(of, 'rule-preview', {
            ...asked,
            calls: [...calls, { tool_name: 'no_such_tool', tool_input: '{' }],
          });
          expect([preview.status, preview.body.decides]).toEqual([200, [0, 2]]);
          expect(await pendingIn(of)).toEqual([approval_id]);
          const modified_input = { what: 'else' };
          const modified = await person.act(of, 'rule-preview', { ...asked, modified_input });
          expect(modified.body.rule.matcher.input).toEqual(modified_input);
          const rejection = await person.act(of, 'rule-preview', { ...asked, approved: false });
          expect(rejection.body).toMatchObject({ rule: { decision: 'deny' }, decides: [] });
          const { body } = await person.approve(of, approval_id!, { remember: 'session' });
          expect(body.rule).toMatchObject(preview.body.rule);
          await following.end();
        });

        it('is about the type of the agent that calls, also where that is a child', async () => {
          const prompt = script({ calls: [deed('work')] });
          const child = { name: 'agent', arguments: { prompt, agent_type: 'coder' } };
          const following = await person.say('of-a-child', script({ calls: [child] }));
          const { approval_id } = await following.record('APPROVAL_REQUIRED');
          const { body } = await person.approve(following.of, approval_id, { remember: 'agent' });
          expect(body.rule).toMatchObject({ scope: 'agent', scope_id: 'coder' });
          await following.end();
          const of = (agent: string) => check({ what: 'work' }, { chat_id: 'of-a-child', agent });
          expect([await of('coder'), await of('react')]).toEqual(['allow', 'ask']);
        });

        it('keeps that call from running, where it is a rejection', async () => {
          const { following, of, approval_id } = await attempt('refused', 'harm');
          const reply = await person.reject(of, approval_id!, { remember: 'session' });
          expect([reply.status, reply.body]).toMatchObject([
            200,
            { approved: false, rule: { decision: 'deny', matcher: { input: { what: 'harm' } } } },
          ]);
          await following.end();
          expect(await resultOf('refused', 'harm')).toMatchObject({
            is_error: true,
            tool_output: expect.stringMatching(/a rule denies it\. Denies .* rule rule_/),
          });
          expect(await asks('refused', 'good')).toBe(true);
        });

        it('is about what runs: the input that the person made of it, and the model’s where the call is rejected', async () => {
          const modified_input = { what: 'better' };
          const given = await attempt('modified', 'worse');
          const reply = await person.approve(given.of, given.approval_id!, {
            modified_input,
            remember: 'session',
          });
          expect(reply.body.rule.matcher.input).toEqual(modified_input);
          await given.following.end();
          expect(await check({ what: 'worse' }, { chat_id: 'modified' })).toBe('ask');

          const refused = await attempt('modified', 'worse');
          const { body } = await person.reject(refused.of, refused.approval_id!, {
            remember: 'session',
          });
          expect(body.rule).toMatchObject({
            decision: 'deny',
            matcher: { input: { what: 'worse' } },
          });
          await refused.following.end();
        });

        it('is not taken where no rule could keep it, and can be given without that', async () => {
          const matcher = { type: 'tool', pattern: 'deed', input: { what: 'guarded' } };
          const rule = { scope: 'user', decision: 'ask', matcher };
          expect((await server.api.post('/permissions/rules', rule)).status).toBe(201);
          const { following, of, approval_id } = await attempt('guarded', 'guarded');
          const preview = await person.act(of, 'rule-preview', {
            ...{ approval_id, approved: true, remember: 'global' },
          });
          expect(preview.body).toEqual({ rule: null, decides: [] });
          const reply = await person.approve(of, approval_id!, { remember: 'global' });
          expect([reply.status, reply.body.type]).toEqual([422, '/problems/not_rememberable']);
          expect(await pendingIn(of)).toEqual([approval_id]);
          expect((await person.approve(of, approval_id!)).status).toBe(200);
          expect((await following.end()).find('TOOL_RESULT')).toMatchObject({ is_error: false });
          const again = await person.approve(of, approval_id!, { remember: 'global' });
          expect([again.status, again.body.type]).toEqual([400, '/problems/already_processed']);
        });

        it('decides once its rule is there: the next call of the run is judged by it', async () => {
          const { of, approval_id } = await attempt('ruled-first', 'that');
          const { rules } = server.stores;
          const add = rules.add.bind(rules);
          const gate = new Gate();
          const slowly: RuleStore['add'] = async (...rule) => {
            await gate.pass();
            return add(...rule);
          };
          await withRules(slowly, async () => {
            const approving = person.approve(of, approval_id!, { remember: 'session' });
            await gate.reached;
            expect(await pendingIn(of)).toEqual([approval_id]);
            gate.open();
            expect((await approving).body).toMatchObject({ rule: { decision: 'allow' } });
          });
          expect(await pendingIn(of)).toEqual([]);
        });

        it('leaves no rule where another decision was faster', async () => {
          for (let n = 0; n < 4; n++) {
            const chat_id = `raced-${n}`;
            const { of, approval_id } = await attempt(chat_id, 'that');
            const [approved, rejected] = await Promise.all([
              person.approve(of, approval_id!, { remember: 'session' }),
              person.reject(of, approval_id!),
            ]);
            expect([approved.status, rejected.status].toSorted((a, b) => a - b)).toEqual([
              200, 400,
            ]);
            const { body } = await server.api.get(
              `/permissions/rules?scope=session&scope_id=${chat_id}`,
            );
            const allowing = (body.items as { decision: string }[]).filter(
              ({ decision }) => decision === 'allow',
            );
            expect(allowing).toHaveLength(approved.status === 200 ? 1 : 0);
          }
        });

        it.each([
          ['there are too many', () => Promise.resolve(false), /1000 rules/],
          ['they can’t be saved', () => Promise.reject(new Error('disk')), /could not be saved/],
        ])('counts where its rule is not added: %s', async (why, add, reason) => {
          const { following, of, approval_id } = await attempt(`full-${why.length}`, 'that');
          const reply = await withRules(add, () =>
            person.approve(of, approval_id!, { remember: 'session' }),
          );
          expect([reply.status, reply.body]).toEqual([
            200,
            {
              status: 'processed',
              approval_id,
              approved: true,
              rule: null,
              reason: expect.stringMatching(reason),
            },
          ]);
          expect(reply.body.reason).not.toContain('disk');
          expect((await following.end()).find('TOOL_RESULT')).toMatchObject({ is_error: false });
        });

        const pendingIn = async ({ id }: Interacted) => {
          const { items } = (await person.inbox(`status=pending&interaction_id=${id}`)).body;
          return (items as { id: string }[]).map((item) => item.id);
        };

        /** A rule store that adds rules so, for as long as `work` takes. */
        async function withRules<T>(add: RuleStore['add'], work: () => Promise<T>): Promise<T> {
          const { rules } = server.stores;
          Object.defineProperty(rules, 'add', { value: add, configurable: true });
          try {
            return await work();
          } finally {
            Reflect.deleteProperty(rules, 'add');
          }
        }
      },
      { isOwn: true },
    );
  });
}
