import { randomUUID } from 'node:crypto';
import { uidOf } from '../../support/store/chat-parts.js';
import {
  acquireOnceFree,
  at,
  chatId,
  ended,
  endBatch,
  HELD,
  interactionId,
  LAPSING,
  newChat,
  newStart,
  ownerOf,
  readAll,
  started,
} from './fixtures.js';
import type { StoreUnderTest } from './store-under-test.js';

export function describeStarts(tested: StoreUnderTest): void {
  describe('starting an interaction', () => {
    it('creates the chat, the interaction and record 1 together', async () => {
      const start = newStart({ created_at: at(7) });
      const result = await tested.store.startInteraction(start);
      const { interaction, chat } = start;
      const row = {
        ...interaction,
        ...ownerOf(start),
        parent_id: null,
        edited_from: null,
        status: 'RUNNING',
        usage: { input_tokens: 0, output_tokens: 0 },
        error: null,
        completed_at: null,
        superseded_at: null,
        last_seq: 1,
        epoch: 0,
        signals: 0,
        cancel_reason: null,
        cancelled_by: null,
        waits_for: null,
      };
      const first = {
        interaction_id: interaction.id,
        seq: 1,
        epoch: 0,
        agent_id: interaction.agent_id,
        at: at(7),
        key: null,
        body: {
          type: 'INTERACTION_STARTED',
          chat_id: chat.id,
          user_message: interaction.user_message,
          agent: interaction.agent,
          model: interaction.model,
          parent_id: null,
          by: { kind: 'user', user_id: row.started_by },
        },
        hidden: null,
      };
      expect(result).toEqual({ outcome: 'started', interaction: row, first, is_new_chat: true });
      expect(await tested.store.findInteraction(interaction.id)).toEqual(row);
      expect(await tested.store.findActiveInteraction(uidOf(chat.id))).toEqual(row);
      expect(await readAll(tested.store, interaction.id)).toEqual([first]);
      expect(await tested.store.findChat(chat.id)).toEqual({
        ...chat,
        title: interaction.user_message,
        preview: interaction.user_message,
        head_interaction_id: interaction.id,
        updated_at: at(7),
      });
    });

    it('goes on from the head of a chat that exists, and leaves the chat its own title', async () => {
      const chat = newChat({ title: 'mine', settings: { agent: 'deliberate' }, created_at: at(0) });
      await tested.store.createChat(chat);
      const first = await ended(tested.store, 'one', { chat_id: chat.id, created_at: at(2) });
      const second = await started(tested.store, { chat_id: chat.id, created_at: at(3) });
      expect([first.parent_id, second.parent_id]).toEqual([null, first.id]);
      const [record] = await readAll(tested.store, second.id);
      expect(record?.body).toMatchObject({ type: 'INTERACTION_STARTED', parent_id: first.id });
      expect(await tested.store.findChat(chat.id)).toEqual({
        ...chat,
        preview: second.user_message,
        head_interaction_id: second.id,
        updated_at: at(3),
      });
    });

    it('starts unowned without a lease', async () => {
      const row = await started(tested.store);
      expect(row.epoch).toBe(0);
      const lease = await tested.store.acquireLease(row.id, HELD);
      expect(lease).toEqual({
        interaction: { ...row, epoch: 1 },
        lost_owner: null,
        parked: false,
        losses: 0,
        alone_losses: 0,
      });
    });

    it('starts owned, in epoch 1, with a lease', async () => {
      const row = await started(tested.store, { lease: HELD });
      expect(row.epoch).toBe(1);
      expect((await readAll(tested.store, row.id))[0]?.epoch).toBe(1);
      expect(await tested.store.acquireLease(row.id, HELD)).toBeUndefined();
    });

    it('answers that the chat is busy, with who holds it, and writes nothing (I9)', async () => {
      const active = await started(tested.store);
      const late = newStart({ chat_id: active.chat_id, created_at: at(9) });
      expect(await tested.store.startInteraction(late)).toEqual({
        outcome: 'busy',
        active_interaction_id: active.id,
      });
      expect(await tested.store.findInteraction(late.interaction.id)).toBeUndefined();
      expect((await tested.store.findChat(active.chat_id))?.updated_at).not.toBe(at(9));
    });

    it('stays busy while the interaction waits for a human', async () => {
      const active = await started(tested.store, { lease: HELD });
      for (const status of ['WAITING_APPROVAL', 'WAITING_INPUT'] as const) {
        await tested.store.append([{ interaction_id: active.id, epoch: 1, records: [], status }]);
        const result = await tested.store.startInteraction(newStart({ chat_id: active.chat_id }));
        expect(result.outcome).toBe('busy');
        expect((await tested.store.findActiveInteraction(uidOf(active.chat_id)))?.status).toBe(
          status,
        );
      }
    });

    it('lets exactly one of 50 concurrent starts on one chat win (I9)', async () => {
      const chat_id = chatId();
      const tries = Array.from({ length: 50 }, () =>
        tested.store.startInteraction(newStart({ chat_id, chat_uid: randomUUID(), lease: HELD })),
      );
      const results = await Promise.all(tries);
      const winners = results.filter((result) => result.outcome === 'started');
      expect(winners).toHaveLength(1);
      const { chat_uid } = winners[0]!.interaction;
      const active = await tested.store.findActiveInteraction(chat_uid);
      for (const result of results) {
        if (result.outcome === 'started') expect(result.interaction.id).toBe(active?.id);
        else expect(result).toEqual({ outcome: 'busy', active_interaction_id: active?.id });
      }
      const page = { chat_uid, superseded: true, limit: 100 };
      expect(await tested.store.listInteractions(page)).toHaveLength(1);
    });

    it('finds no active interaction in a chat that is free or not there', async () => {
      const row = await ended(tested.store, 'one');
      expect(await tested.store.findActiveInteraction(uidOf(row.chat_id))).toBeUndefined();
      expect(await tested.store.findActiveInteraction(uidOf(chatId()))).toBeUndefined();
      expect(await tested.store.findInteraction(interactionId())).toBeUndefined();
    });

    describeIdempotency(tested);
  });
}

function describeIdempotency(tested: StoreUnderTest): void {
  const idempotency = { key: 'order-1', fingerprint: 'body-1' };

  it('answers a repeated key with the same interaction, while it runs and after', async () => {
    const row = await started(tested.store, { idempotency, lease: LAPSING });
    const repeat = newStart({ chat_id: row.chat_id, idempotency, lease: HELD });
    expect(await tested.store.findUsedKey(row.chat_id, idempotency)).toEqual({
      outcome: 'repeated',
      interaction: row,
    });
    expect(await tested.store.findUsedKey(chatId(), idempotency)).toBeUndefined();
    const running = await tested.store.startInteraction(repeat);
    expect(running).toEqual({ outcome: 'repeated', interaction: row });
    const lease = await acquireOnceFree(tested.store, row.id);
    await tested.store.append([endBatch(row.id, 2, { epoch: lease.interaction.epoch })]);
    const after = await tested.store.startInteraction(repeat);
    expect(after).toMatchObject({
      outcome: 'repeated',
      interaction: { id: row.id, status: 'COMPLETED', last_seq: 2 },
    });
    expect(await tested.store.findInteraction(repeat.interaction.id)).toBeUndefined();
  });

  it('refuses the key with another fingerprint, before it looks whether the chat is busy', async () => {
    const row = await started(tested.store, { idempotency });
    const other = { key: idempotency.key, fingerprint: 'body-2' };
    const start = newStart({ chat_id: row.chat_id, idempotency: other });
    expect(await tested.store.startInteraction(start)).toEqual({ outcome: 'key_reused' });
    const used = await tested.store.findUsedKey(row.chat_id, other);
    expect(used).toEqual({ outcome: 'key_reused' });
  });

  it('keeps keys apart by chat', async () => {
    const first = await started(tested.store, { idempotency });
    const second = await started(tested.store, { idempotency });
    expect(second.id).not.toBe(first.id);
  });

  it('forgets the key of a start that found the chat busy', async () => {
    const active = await started(tested.store, { lease: HELD });
    const start = newStart({ chat_id: active.chat_id, idempotency });
    expect((await tested.store.startInteraction(start)).outcome).toBe('busy');
    await tested.store.append([endBatch(active.id, 2)]);
    expect((await tested.store.startInteraction(start)).outcome).toBe('started');
  });

  it('starts once for 50 concurrent starts with one key', async () => {
    const chat_id = chatId();
    const tries = Array.from({ length: 50 }, () =>
      tested.store.startInteraction(newStart({ chat_id, chat_uid: randomUUID(), idempotency })),
    );
    const results = await Promise.all(tries);
    const outcomes = results.map((result) => result.outcome);
    expect(outcomes.filter((outcome) => outcome === 'started')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'repeated')).toHaveLength(49);
    const rows = results.map((result) => ('interaction' in result ? result.interaction.id : ''));
    expect(new Set(rows).size).toBe(1);
  });
}
