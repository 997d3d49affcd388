import type { ChatListPage } from '../persistence/chat.store.js';
import { newChatRow } from '../persistence/interaction-rules.js';
import type { ChatRow } from '../persistence/rows/chat-rows.js';
import { foldCase, MAX_SEARCHED, searchChats } from './chat-search.js';

const viewer = { tenant_id: 'default', user_id: 'ann', is_admin: false };

/** Chats as a store lists them; `titleOf` is asked for each, the newest first. */
class Listed {
  readonly read: number[] = [];
  private readonly rows: readonly ChatRow[];

  constructor(count: number, titleOf: (index: number) => string | null) {
    this.rows = Array.from({ length: count }, (_, index) => {
      const created_at = new Date(1_800_000_000_000 - index * 1000).toISOString();
      const own = { uid: `uid-${index}`, id: `chat-${index}`, title: titleOf(index), created_at };
      const shared = { visibility: 'private', settings: {}, metadata: {} } as const;
      return newChatRow({ ...own, ...shared, tenant_id: 'default', owner: 'ann' });
    });
  }

  async listChats({ limit, before }: ChatListPage): Promise<ChatRow[]> {
    this.read.push(limit);
    const from = before ? this.rows.findIndex(({ id }) => id === before.id) + 1 : 0;
    return this.rows.slice(from, from + limit);
  }
}

describe(searchChats.name, () => {
  const find = async (listed: Listed, limit: number, searched = 0) => {
    const page = { viewer, order: 'updated', limit } as const;
    return searchChats(listed, page, { q: 'needle', searched });
  };

  it('looks at the newest 2,000 chats only', async () => {
    const listed = new Listed(MAX_SEARCHED + 10, (index) =>
      index === MAX_SEARCHED - 1 || index === MAX_SEARCHED ? 'A needle' : 'Hay',
    );
    const { rows, searched } = await find(listed, 5);
    expect(rows.map(({ id }) => id)).toEqual([`chat-${MAX_SEARCHED - 1}`]);
    expect([...searched.values()]).toEqual([MAX_SEARCHED]);
    expect(Math.max(...listed.read)).toBeLessThanOrEqual(100);
  });

  it('counts what earlier pages have searched', async () => {
    const listed = new Listed(500, (index) => (index === 250 ? 'A needle' : null));
    expect((await find(listed, 5, MAX_SEARCHED - 250)).rows).toEqual([]);
    expect((await find(listed, 5, MAX_SEARCHED - 251)).rows).toHaveLength(1);
  });

  it('reads no further than the page needs', async () => {
    const listed = new Listed(1000, () => 'A needle');
    expect((await find(listed, 3)).rows).toHaveLength(3);
    expect(listed.read).toHaveLength(1);
  });
});

describe(foldCase.name, () => {
  it('makes texts equal that differ in case or composition', () => {
    const pairs = [
      ['CAF\u00c9', 'cafe\u0301'],
      ['Straße', 'STRASSE'],
      ['ΟΔΟΣ', 'οδος'],
      ['\uff21\uff22', 'ab'],
    ] as const;
    for (const [one, other] of pairs) expect(foldCase(one)).toBe(foldCase(other));
    expect(foldCase('cafe')).not.toBe(foldCase('café'));
  });
});
