import { chatOf, LOCAL, uidOf } from '../support/store/chat-parts.js';
import { randomUUID } from 'node:crypto';
import type { NewChat } from '../../src/persistence/rows/chat-rows.js';
import type { RuledCall, RuleFilter, RuleStore } from '../../src/permissions/rules/rule-store.js';
import { orderRules } from '../../src/permissions/rules/order-rules.js';
import { ruleUsesContract } from './rule-uses.contract.js';
import type { PermissionRule } from '../../src/protocol/wire/rule.js';

export interface OpenedRuleStore {
  readonly store: RuleStore;
  /**
   * Closes the store and answers a new one over the same saved data, as a restarted process would.
   */
  readonly reopen: () => Promise<RuleStore>;
  /** Creates a chat. */
  readonly makeChat: (chat: NewChat) => Promise<void>;
  readonly deleteChat: (uid: string) => Promise<void>;
  /** Closes the newest store and removes its data. */
  close(): Promise<void>;
}

const LIMIT = 1000;
let made = 0;
/** Chats that no rule is for. */
let chats: string[] = [];

function nextChat(): string {
  return chats.pop()!;
}

/** Younger than those before it, and of a scope of its own unless told otherwise. */
function rule(more: Partial<PermissionRule> = {}): PermissionRule {
  made++;
  return {
    id: `rule_${randomUUID()}`,
    scope: 'session',
    scope_id: nextChat(),
    priority: 0,
    decision: 'allow',
    matcher: { type: 'command_prefix', prefixes: ['git log'] },
    description: null,
    expires_at: null,
    max_uses: null,
    created_at: new Date(Date.UTC(2026, 0, 1, 0, 0, 0, made)).toISOString(),
    uses: 0,
    ...more,
  };
}

interface LocalCall extends Omit<RuledCall, 'tenant_id' | 'user_id' | 'chat_uid'> {
  readonly chat_id?: string;
}

/** A store as the user of a server without authentication has it. */
class LocalRules {
  constructor(readonly port: RuleStore) {}

  list = (filter: Partial<RuleFilter> = {}) => this.port.list({ viewer: LOCAL, ...filter });
  listInOrder = (filter: Partial<RuleFilter>, page: Parameters<RuleStore['listInOrder']>[1]) =>
    this.port.listInOrder({ viewer: LOCAL, ...filter }, page);
  find = (id: string) => this.port.find(id, LOCAL);
  remove = (id: string) => this.port.remove(id, LOCAL);
  removeAll = (filter: Partial<RuleFilter>) => this.port.removeAll({ viewer: LOCAL, ...filter });
  countUse = (id: string, key: string) => this.port.countUse(id, key);
  countUseInFile: RuleStore['countUseInFile'] = (...given) => this.port.countUseInFile(...given);
  listUsesInFiles: RuleStore['listUsesInFiles'] = (...given) => this.port.listUsesInFiles(...given);

  listFor({ chat_id, ...call }: LocalCall) {
    const { tenant_id, user_id } = LOCAL;
    const chat = chat_id === undefined ? {} : { chat_uid: uidOf(chat_id) };
    return this.port.listFor({ tenant_id, user_id, ...chat, ...call });
  }

  add(rule: PermissionRule, limit: number) {
    const chat_uid = rule.scope === 'session' ? uidOf(rule.scope_id!) : null;
    return this.port.add({ ...rule, tenant_id: LOCAL.tenant_id, chat_uid }, limit);
  }
}

/** What every `RuleStore` must do. The store is opened once; every test uses scopes of its own. */
export function ruleStoreContract(name: string, open: () => Promise<OpenedRuleStore>): void {
  describe(`${name} as a RuleStore`, () => {
    let opened: OpenedRuleStore;
    const makeChat = (id: string, uid = uidOf(id)) =>
      opened.makeChat(chatOf({ id, uid, created_at: new Date().toISOString() }));
    let store: LocalRules;
    beforeAll(async () => {
      opened = await open();
      store = new LocalRules(opened.store);
      chats = Array.from({ length: 60 }, () => `chat_${randomUUID()}`);
      for (const id of chats) await makeChat(id);
    });
    afterAll(() => opened.close());

    it('pages through rules in order of evaluation', async () => {
      const [chat, agent] = [nextChat(), `agent-${randomUUID()}`];
      const at = '2026-01-02T00:00:00.000Z';
      const added = [
        rule({ scope_id: chat, priority: 1 }),
        rule({ scope_id: chat, priority: 5 }),
        rule({ scope_id: chat, priority: 5, created_at: at }),
        rule({ scope_id: chat, priority: 5, created_at: at }),
        rule({ scope: 'agent', scope_id: agent, priority: 9 }),
        rule({ scope: 'user', scope_id: LOCAL.user_id, priority: -3 }),
        rule({ scope: 'global', scope_id: null, priority: 9 }),
      ];
      for (const each of added) expect(await store.add(each, LIMIT)).toBe(true);
      const pages = async (filter: Partial<RuleFilter>) => {
        const seen: PermissionRule[] = [];
        for (;;) {
          const after = seen.at(-1);
          const page = await store.listInOrder(filter, { limit: 2, ...(after && { after }) });
          seen.push(...page);
          if (page.length < 2) return seen;
        }
      };
      const inChat = added.slice(0, 4);
      expect(await pages({ scope: 'session', scope_id: chat })).toEqual(orderRules(inChat));
      const all = await pages({});
      expect(all).toEqual(orderRules(await store.list()));
      expect(all.length).toBeGreaterThanOrEqual(added.length);
      const file = { id: 'rule_file_1', scope: 'agent', priority: 9, created_at: null } as const;
      const afterFile = await store.listInOrder({ scope: 'agent' }, { limit: 9, after: file });
      expect(afterFile[0]).toEqual(added[4]);
      for (const each of added) await store.remove(each.id);
    });

    it('gives a rule back as it was added', async () => {
      const full = rule({
        priority: -5,
        decision: 'deny',
        matcher: { type: 'tool', pattern: 'x', input: { b: 1, a: ['\u0000', '\ud800'] } },
        description: 'Never.',
        expires_at: '2030-01-01T00:00:00.000Z',
        max_uses: 3,
      });
      expect(await store.add(full, LIMIT)).toBe(true);
      expect(await store.find(full.id)).toEqual(full);
      expect(await store.find('rule_none')).toBeUndefined();
    });

    it('adds no rule twice', async () => {
      const first = rule();
      await store.add(first, LIMIT);
      expect(await store.add({ ...first, decision: 'deny' }, LIMIT)).toBe(false);
      expect(await store.find(first.id)).toEqual(first);
    });

    it('holds as many rules of a scope as the limit says, whoever adds them at once', async () => {
      const scope_id = nextChat();
      const adding = Array.from({ length: 8 }, () => store.add(rule({ scope_id }), 3));
      expect((await Promise.all(adding)).filter(Boolean)).toHaveLength(3);
      expect(await store.list({ scope: 'session', scope_id })).toHaveLength(3);
      expect(await store.add(rule(), 3)).toBe(true);
    });

    it('lists the rules of a scope, oldest first', async () => {
      const scope_id = nextChat();
      const [a, b, c] = [
        rule({ scope_id }),
        rule({ scope_id }),
        rule({ scope: 'agent', scope_id }),
      ];
      for (const added of [b, c, a]) await store.add(added, LIMIT);
      expect(await store.list({ scope: 'session', scope_id })).toEqual([a, b]);
      expect(await store.list({ scope_id })).toEqual([a, b, c]);
      const all = await store.list();
      expect(all).toEqual(expect.arrayContaining([a, b, c]));
      const ages = all.map(({ created_at }) => Date.parse(created_at!));
      expect(ages).toEqual(ages.toSorted((x, y) => x - y));
    });

    it('lists what can apply to a call: of its chat, of its agent type, of users and global', async () => {
      const chat = rule();
      const agent = rule({ scope: 'agent', scope_id: `type_${randomUUID()}` });
      const user = rule({ scope: 'user', scope_id: LOCAL.user_id });
      const everyone = rule({ scope: 'global', scope_id: null });
      const other = rule();
      for (const added of [chat, agent, user, everyone, other]) await store.add(added, LIMIT);
      const found = await store.listFor({ chat_id: chat.scope_id!, agent: agent.scope_id! });
      expect(found).toEqual(expect.arrayContaining([chat, agent, user, everyone]));
      expect(found).not.toContainEqual(other);
      const without = await store.listFor({});
      expect(without).toEqual(expect.arrayContaining([user, everyone]));
      for (const absent of [chat, agent]) expect(without).not.toContainEqual(absent);
    });

    it('refuses a rule for a chat that does not exist', async () => {
      const scope_id = `chat_${randomUUID()}`;
      const planted = rule({ scope_id });
      expect(await store.add(planted, LIMIT)).toBe(false);
      await makeChat(scope_id);
      expect(await store.listFor({ chat_id: scope_id })).not.toContainEqual(planted);
      expect(await store.add(planted, LIMIT)).toBe(true);
    });

    it('has no rule of a chat any more once the chat is deleted, nor of its successor', async () => {
      const gone = rule();
      const id = gone.scope_id!;
      const other = rule();
      for (const added of [gone, other]) await store.add(added, LIMIT);
      await opened.deleteChat(uidOf(id));
      expect(await store.list({ scope: 'session', scope_id: id })).toEqual([]);
      await makeChat(id, randomUUID());
      store = new LocalRules(await opened.reopen());
      expect(await store.listFor({ chat_id: id })).not.toContainEqual(gone);
      expect(await store.find(gone.id)).toBeUndefined();
      expect(await store.countUse(gone.id, 'int_1/a/1')).toBe(false);
      expect(await store.find(other.id)).toEqual(other);
    });

    it('has no rule for another tenant, nor what belongs to another user', async () => {
      const type = `type_${randomUUID()}`;
      const ofAgent = rule({ scope: 'agent', scope_id: type });
      const [inChat, ofUser] = [rule(), rule({ scope: 'user', scope_id: LOCAL.user_id })];
      const all = [ofAgent, inChat, ofUser];
      for (const each of all) await store.add(each, LIMIT);
      const { port } = store;
      const stranger = { ...LOCAL, tenant_id: 'another' };
      for (const { id, scope, scope_id } of all) {
        expect(await port.find(id, stranger)).toBeUndefined();
        expect(await port.remove(id, stranger)).toBe(false);
        const filter = { viewer: stranger, scope, scope_id: scope_id! };
        expect(await port.list(filter)).toEqual([]);
        expect(await port.listInOrder(filter, { limit: 9 })).toEqual([]);
        expect(await port.removeAll(filter)).toBe(0);
      }
      const viewer = { ...LOCAL, user_id: 'another', is_admin: false };
      const seen = (await port.list({ viewer })).map(({ id }) => id);
      expect(seen).toContain(ofAgent.id);
      for (const { id } of [inChat, ofUser]) {
        expect(seen).not.toContain(id);
        expect(await port.find(id, viewer)).toBeUndefined();
        expect(await port.remove(id, viewer)).toBe(false);
      }
      const call = { chat_uid: uidOf(inChat.scope_id!), agent: type };
      const ids = async (tenant_id: string, user_id: string) => {
        const found = await port.listFor({ ...call, tenant_id, user_id });
        return all.filter(({ id }) => found.some((each) => each.id === id));
      };
      expect(await ids(LOCAL.tenant_id, LOCAL.user_id)).toEqual(all);
      expect(await ids(LOCAL.tenant_id, 'another')).toEqual([ofAgent, inChat]);
      expect(await ids('another', LOCAL.user_id)).toEqual([]);
    });

    it('counts the rules of a scope for each tenant', async () => {
      const scope_id = `type_${randomUUID()}`;
      const add = (tenant_id: string) =>
        store.port.add({ ...rule({ scope: 'agent', scope_id }), tenant_id, chat_uid: null }, 1);
      expect([await add('one'), await add('one'), await add('two')]).toEqual([true, false, true]);
    });

    it('removes one rule', async () => {
      const gone = rule();
      await store.add(gone, LIMIT);
      expect(await store.remove(gone.id)).toBe(true);
      expect(await store.remove(gone.id)).toBe(false);
      expect(await store.find(gone.id)).toBeUndefined();
    });

    it('removes the rules of a scope', async () => {
      const scope_id = nextChat();
      const other = rule();
      for (const added of [rule({ scope_id }), rule({ scope_id }), other])
        await store.add(added, LIMIT);
      expect(await store.removeAll({ scope: 'session', scope_id })).toBe(2);
      expect(await store.removeAll({ scope: 'session', scope_id })).toBe(0);
      expect(await store.removeAll({ scope: 'agent', scope_id: other.scope_id! })).toBe(0);
      expect(await store.find(other.id)).toEqual(other);
      expect(await store.removeAll({ scope: 'session' })).toBeGreaterThan(0);
      expect(await store.list({ scope: 'session' })).toEqual([]);
    });

    it('grants as many uses as a rule has, whoever asks at once', async () => {
      const limited = rule({ max_uses: 5 });
      await store.add(limited, LIMIT);
      const keys = Array.from({ length: 12 }, (_, n) => `int_1/a/${n}`);
      const uses = await Promise.all(keys.map((key) => store.countUse(limited.id, key)));
      expect(uses.filter(Boolean)).toHaveLength(5);
      expect(await store.find(limited.id)).toEqual({ ...limited, uses: 5 });
      expect(await store.countUse('rule_none', 'int_1/a/1')).toBe(false);
    });

    it('counts without end where nothing limits', async () => {
      const free = rule();
      await store.add(free, LIMIT);
      expect(await store.countUse(free.id, 'int_1/a/1')).toBe(true);
      expect(await store.find(free.id)).toEqual({ ...free, uses: 1 });
    });

    ruleUsesContract(async (max_uses) => {
      const used = rule({ max_uses });
      await store.add(used, LIMIT);
      return {
        countUse: (useKey) => store.countUse(used.id, useKey),
        async usesFor(use_key) {
          const chat_id = used.scope_id!;
          const [found] = (await store.listFor({ chat_id, ...(use_key && { use_key }) })).filter(
            ({ id }) => id === used.id,
          );
          expect(found).toEqual({ ...used, uses: found!.uses });
          return found!.uses;
        },
        async reopen() {
          store = new LocalRules(await opened.reopen());
        },
      };
    });

    describe('of a file', () => {
      ruleUsesContract(async (max_uses) => {
        const id = `rule_file_${randomUUID()}`;
        return {
          countUse: (useKey) => store.countUseInFile({ id, max_uses }, useKey),
          usesFor: async (useKey) =>
            (await store.listUsesInFiles([id, 'rule_file_none'], useKey)).get(id)!,
          async reopen() {
            store = new LocalRules(await opened.reopen());
          },
        };
      });

      it('grants as many uses as it has, whichever process asks', async () => {
        const rule = { id: `rule_file_${randomUUID()}`, max_uses: 5 };
        const keys = Array.from({ length: 12 }, (_, n) => `int_1/a/${n}`);
        const uses = await Promise.all(keys.map((key) => store.countUseInFile(rule, key)));
        expect(uses.filter(Boolean)).toHaveLength(5);
        expect(await store.listUsesInFiles([])).toEqual(new Map());
      });
    });

    it('keeps everything across a restart', async () => {
      const kept = rule({ max_uses: 2 });
      await store.add(kept, LIMIT);
      await store.countUse(kept.id, 'int_1/a/1');
      store = new LocalRules(await opened.reopen());
      expect(await store.find(kept.id)).toEqual({ ...kept, uses: 1 });
    });
  });
}
