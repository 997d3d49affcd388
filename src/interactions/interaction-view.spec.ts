import { jest } from '@jest/globals';
import {
  HELD,
  ended,
  endBatch,
  exchange,
  newEnd,
  newRecord,
  started,
} from '../../test/contracts/interaction-store/fixtures.js';
import { memoryStore } from '../../test/support/store/whole-store.js';
import { jsonBytes } from '../kernel/page-cursor.js';
import type { InteractionRow } from '../persistence/rows/interaction-row.js';
import { InteractionView } from './interaction-view.js';

const MIB = 1024 * 1024;
const ALL = { limit: 200, states: 'all' } as const;
const FITTING = { limit: 200, states: 'fitting' } as const;

describe(InteractionView.name, () => {
  const store = memoryStore();
  const view = new InteractionView(store, store);

  /**
   * An interaction of a chat with so many events of so many bytes, that adds as many to the state.
   */
  async function said(chat_id: string, count: number, bytes: number): Promise<InteractionRow> {
    const row = await started(store, { chat_id, lease: HELD });
    const content = 'x'.repeat(bytes);
    const records = Array.from({ length: count }, (_, i) =>
      newRecord(row.id, i + 2, { body: { type: 'MESSAGE', block_id: 'b', content } }),
    );
    await store.append([{ interaction_id: row.id, epoch: 1, records }]);
    await store.append([endBatch(row.id, count + 2, { end: newEnd(content) })]);
    return (await store.findInteraction(row.id))!;
  }

  it('shows a long interaction up to a bound, and says where the rest is', async () => {
    const { chat_id } = await ended(store, '0');
    const row = await said(chat_id, 20_000, 300);
    const whole = await view.one(row);
    expect(jsonBytes(whole)).toBeLessThan(3 * MIB);
    const path = `/chats/${chat_id}/interactions/${row.id}`;
    const last = whole.agent_events.at(-1)!.seq;
    expect(whole.cut).toEqual({ agent_events: `${path}/events?after=${last}` });
    expect(whole.agent_events.map(({ seq }) => seq)).toEqual(
      Array.from({ length: last - 1 }, (_, i) => i + 2),
    );
    expect(whole.final_agent_state?.messages).toHaveLength(4);

    const [listed] = await view.page([row], ALL);
    expect(jsonBytes(listed)).toBeLessThan(MIB / 2);
    expect(listed!.cut!.agent_events).toBe(
      `${path}/events?after=${listed!.agent_events.at(-1)!.seq}`,
    );
  });

  it('shows what is short whole', async () => {
    const { id, chat_id } = await ended(store, 'short');
    const row = (await store.findInteraction(id))!;
    const shown = await view.one(row);
    expect(shown).toMatchObject({ cut: null, final_agent_state: { messages: exchange('short') } });
    expect((await view.page([row], { limit: 1, states: 'none' }))[0]).toEqual({
      ...shown,
      final_agent_state: null,
      cut: { final_agent_state: `/chats/${chat_id}/interactions/${id}` },
    });
  });

  it('tells the last answer, also of a log that is shown in part', async () => {
    const { chat_id } = await ended(store, '0');
    const row = await started(store, { chat_id, lease: HELD });
    const say = (seq: number, type: 'MESSAGE' | 'ANSWER', content: string) =>
      newRecord(row.id, seq, { body: { type, block_id: `b${seq}`, content } });
    const before = [say(2, 'ANSWER', 'not yet'), say(3, 'MESSAGE', 'x'.repeat(3 * MIB))];
    await store.append([{ interaction_id: row.id, epoch: 1, records: before }]);
    expect(await view.one(row)).toMatchObject({ answer: 'not yet', agent_id: row.agent_id });
    await store.append([{ interaction_id: row.id, epoch: 1, records: [say(4, 'ANSWER', '42')] }]);
    expect(await view.one(row)).toMatchObject({ answer: '42', edited_from: null });
    expect((await view.page([row], ALL))[0]).toMatchObject({ answer: '42' });
    const silent = await started(store, { chat_id: 'silent', lease: HELD });
    expect(await view.one(silent)).toMatchObject({ answer: null });
  });

  it('says nothing of a state that is not there yet', async () => {
    const row = await started(store, { lease: HELD });
    const [running] = await view.page([row], ALL);
    expect(running).toMatchObject({ final_agent_state: null, cut: null });
  });

  it('ends a page that has too many bytes', async () => {
    const { chat_id } = await ended(store, '0');
    const rows: InteractionRow[] = [];
    for (let i = 0; i < 50; i++) rows.unshift(await said(chat_id, 2, 110_000));
    const page = await view.page(rows, { limit: 50, states: 'none' });
    expect(page.length).toBeGreaterThan(10);
    expect(page.length).toBeLessThan(50);
    expect(jsonBytes(page)).toBeLessThan(9 * MIB);
    expect(page.map(({ id }) => id)).toEqual(rows.slice(0, page.length).map(({ id }) => id));

    const states = await view.page(rows, ALL);
    expect(states.length).toBeLessThan(page.length);
    const shown = await view.page(rows.slice(-3), ALL);
    expect(shown.map((each) => each.final_agent_state?.messages.length)).toEqual([8, 6, 4]);
  });

  it('bounds the states of a page together', async () => {
    const { chat_id } = await ended(store, '0');
    const rows: InteractionRow[] = [];
    for (let i = 0; i < 30; i++) rows.unshift(await said(chat_id, 1, 100_000));
    const page = await view.page(rows, ALL);
    const states = page.flatMap(({ final_agent_state }) => final_agent_state ?? []);
    expect(states.length).toBeGreaterThan(0);
    expect(jsonBytes(states)).toBeLessThan(2.1 * MIB);
  });

  it('shows states from the newest back while they fit, and names the place of the others', async () => {
    const { chat_id } = await ended(store, '0');
    const rows: InteractionRow[] = [];
    for (let i = 0; i < 12; i++) rows.unshift(await said(chat_id, 1, 20_000));
    const reads = jest.spyOn(store, 'findFinalState');
    const page = await view.page(rows, FITTING);
    expect(reads).toHaveBeenCalledTimes(1);
    reads.mockRestore();
    expect(page.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    const shown = page.filter((each) => each.final_agent_state !== null);
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.length).toBeLessThan(12);
    expect(page.slice(0, shown.length)).toEqual(shown);
    expect(jsonBytes(shown.map((each) => each.final_agent_state))).toBeLessThan(2.1 * MIB);
    for (const [index, { cut, id }] of page.entries())
      expect(cut).toEqual(
        index < shown.length ? null : { final_agent_state: `/chats/${chat_id}/interactions/${id}` },
      );
  });

  it('looks at no other state when the newest is too long for a page', async () => {
    const { chat_id } = await ended(store, '0');
    const rows = [await said(chat_id, 1, 3 * MIB)];
    rows.unshift(await said(chat_id, 1, 10));
    const looks = jest.spyOn(store, 'hasFinalState');
    const page = await view.page(rows, FITTING);
    expect(looks).not.toHaveBeenCalled();
    looks.mockRestore();
    expect(page.map((each) => each.final_agent_state)).toEqual([null, null]);
  });

  it('reads the state of a branch once, and shows what each interaction had', async () => {
    const { id: first, chat_id } = await ended(store, '0');
    const edited = await ended(store, 'edited', { chat_id });
    await ended(store, '2', { chat_id, edited_from: edited.id });
    const last = await ended(store, '3', { chat_id });
    const [chat_uid, superseded] = [last.chat_uid, true];
    const rows = await store.listInteractions({ chat_uid, superseded, limit: 9, bytes: MIB });
    const reads = jest.spyOn(store, 'findFinalState');
    const page = await view.page(rows, ALL);
    const read = reads.mock.calls.map(([id]) => id);
    reads.mockRestore();
    expect(read).toEqual([last.id, edited.id]);
    expect(page.at(-1)!.id).toBe(first);
    const alone = await Promise.all(rows.map((row) => view.one(row)));
    expect(page.map((each) => each.final_agent_state)).toEqual(
      alone.map((each) => each.final_agent_state),
    );
  });

  it('does not look at every state of a branch that is too long for a page', async () => {
    const { chat_id } = await ended(store, '0');
    const rows: InteractionRow[] = [];
    for (let i = 0; i < 60; i++) rows.unshift(await said(chat_id, 1, 60_000));
    const short = rows.slice(0, 50);
    const reads = jest.spyOn(store, 'findFinalState');
    const looks = jest.spyOn(store, 'hasFinalState');
    const cut = await view.page(short, ALL);
    const page = await view.page(rows, ALL);
    expect(reads).toHaveBeenCalledTimes(4);
    expect(looks.mock.calls.length).toBeLessThan(14);
    for (const spy of [reads, looks]) spy.mockRestore();
    const fits = (each: { final_agent_state: unknown }) => each.final_agent_state !== null;
    expect(cut.findIndex(fits)).toBe(page.findIndex(fits));
    const first = page.findIndex(fits);
    const alone = await store.findFinalState(rows[first - 1]!.id, 2 * MIB);
    expect(alone).toBeUndefined();
    expect(page[first]).toEqual({ ...(await view.one(rows[first]!)), cut: null });
  });

  it('leaves out a state that is too long, and answers at least one interaction', async () => {
    const { chat_id } = await ended(store, '0');
    const row = await said(chat_id, 1, 17 * MIB);
    const log = { final_agent_state: `/chats/${chat_id}/log` };
    expect(await view.one(row)).toMatchObject({ final_agent_state: null, cut: log });
    const page = await view.page([row, row], ALL);
    expect(page.map(({ id }) => id)).toEqual([row.id]);
  });
});
