import { describe, expect, it } from '@jest/globals';
import { EMPTY_FEED } from '../feed/feed-state';
import type { InboxRequest } from '../feed/feed-state';
import { groupsOf } from './rows';

const request = (id: string, chat_id: string, more: Partial<InboxRequest> = {}): InboxRequest => ({
  ...{ id, chat_id, kind: 'approval', status: 'pending', interaction_id: 'int_1' },
  ...{ agent_id: 'agent_1', created_at: `2026-01-15T10:00:0${id}.000Z`, expires_at: null },
  ...{ settled_at: null, settlement: null },
  ...more,
});

describe(groupsOf.name, () => {
  it('groups by chat, and keeps what was settled here in its place', () => {
    const at = '2026-01-15T10:01:00.000Z';
    const settlement = { kind: 'approval', approved: true, by: { kind: 'user' } } as const;
    const done = { status: 'settled', settled_at: at, settlement } as const;
    const feed = {
      ...EMPTY_FEED,
      requests: [request('1', 'a'), request('2', 'b'), request('4', 'a')],
      settled: { '3': request('3', 'a', done), '5': request('5', 'c', done) },
    };
    const groups = groupsOf(feed, new Set(['3']));
    expect(groups.map(({ chat_id, requests }) => [chat_id, requests.map(({ id }) => id)])).toEqual([
      ['a', ['1', '3', '4']],
      ['b', ['2']],
    ]);
    expect(groups[0]?.requests[1]?.settlement).toMatchObject({ approved: true, at });
  });
});
