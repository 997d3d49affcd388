import type { DataKey } from '../../encryption/data-key.js';
import type { DataKeys } from '../../encryption/data-keys.js';
import type { Viewer } from '../../persistence/viewer.js';
import { RuleStore } from '../../permissions/rules/rule-store.js';
import type { RuledCall, RuleFilter } from '../../permissions/rules/rule-store.js';
import type { OwnedRule } from '../../permissions/rules/permission-rule.js';
import type { RulePlace } from '../../permissions/rules/order-rules.js';
import { fillPage, openEach } from './open-each.js';
import type { OpenEach } from './open-each.js';
import { keyIdOf, openJson, openText, sealJson } from './sealed/sealed-fields.js';
import type { PermissionRule } from '../../protocol/wire/rule.js';

/** Rules in another store, encrypted: with the key of their chat, or else of their tenant. */
export class EncryptedRuleStore extends RuleStore {
  constructor(
    private readonly inner: RuleStore,
    private readonly keys: DataKeys,
  ) {
    super();
  }

  async list(filter: RuleFilter): Promise<PermissionRule[]> {
    const rows = await this.inner.list(filter);
    return openEach(rows, { ...this.opening(filter), withoutTexts: () => undefined });
  }

  async listInOrder(
    filter: RuleFilter,
    page: { readonly limit: number; readonly after?: RulePlace },
  ): Promise<PermissionRule[]> {
    return fillPage(
      page.limit,
      (after) => this.inner.listInOrder(filter, { ...page, ...(after && { after }) }),
      this.opening(filter),
    );
  }

  /** Fails if one can't be opened: it may be the one that denies the call. */
  async listFor(call: RuledCall): Promise<PermissionRule[]> {
    return this.open(await this.inner.listFor(call));
  }

  /** A rule that can't be opened is returned as it is saved, so that it can be removed. */
  async find(id: string, viewer: Viewer): Promise<PermissionRule | undefined> {
    const rule = await this.inner.find(id, viewer);
    const how = { ...this.opening({ viewer }), withoutTexts: (sealed: PermissionRule) => sealed };
    return rule && (await openEach([rule], how))[0];
  }

  async add(rule: OwnedRule, limit: number): Promise<boolean> {
    const { tenant_id, chat_uid } = rule;
    const key = await (chat_uid === null
      ? this.keys.ofTenant(tenant_id)
      : this.keys.ofChat(chat_uid));
    if (!key) return false;
    return this.inner.add(sealRule(key, rule), limit);
  }

  remove(id: string, viewer: Viewer): Promise<boolean> {
    return this.inner.remove(id, viewer);
  }

  removeAll(filter: RuleFilter): Promise<number> {
    return this.inner.removeAll(filter);
  }

  countUse(id: string, use_key: string): Promise<boolean> {
    return this.inner.countUse(id, use_key);
  }

  countUseInFile(rule: Pick<PermissionRule, 'id' | 'max_uses'>, use_key: string): Promise<boolean> {
    return this.inner.countUseInFile(rule, use_key);
  }

  listUsesInFiles(ids: readonly string[], use_key?: string): Promise<ReadonlyMap<string, number>> {
    return this.inner.listUsesInFiles(ids, use_key);
  }

  private opening({ viewer }: RuleFilter): Omit<OpenEach<PermissionRule>, 'withoutTexts'> {
    return {
      open: (some) => this.open(some),
      isThere: async ({ id }) => (await this.inner.find(id, viewer)) !== undefined,
    };
  }

  private async open(rules: readonly PermissionRule[]): Promise<PermissionRule[]> {
    const ids = rules.flatMap(({ matcher, description }) => [
      keyIdOf(matcher),
      keyIdOf(description),
    ]);
    const keys = await this.keys.load(ids.filter((id) => id !== undefined));
    return rules.map((rule) => {
      const { id, matcher, description } = rule;
      return {
        ...rule,
        matcher: openJson(keys, matcher, [id, 'matcher']),
        description: openText(keys, description, [id, 'description']),
      };
    });
  }
}

export function sealRule<R extends Pick<OwnedRule, 'id' | 'matcher' | 'description'>>(
  key: DataKey,
  rule: R,
): R {
  const { id, matcher, description } = rule;
  return {
    ...rule,
    matcher: sealJson(key, matcher, [id, 'matcher']),
    description: description === null ? null : key.seal(description, [id, 'description']),
  };
}
