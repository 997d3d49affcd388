import { SAMPLES_OF_KEY } from '../../src/encryption/data-key-store.js';
import type { DataKeyStore, OwnedKey, WrappedKey } from '../../src/encryption/data-key-store.js';
import { ANY_TENANT } from '../../src/persistence/any-tenant.js';
import type { Stores } from '../../src/persistence/stores.js';
import { chatOf, LOCAL, uidOf } from '../support/store/chat-parts.js';
import { newStart } from './interaction-store/fixtures.js';

interface OpenedKeys {
  readonly stores: Pick<Stores, 'chats' | 'interactions' | 'archive'> & {
    readonly dataKeys: DataKeyStore;
  };
  reopen(): Promise<void>;
  close(): Promise<void>;
}

const AT = '2026-01-15T10:00:00.000Z';
const { tenant_id } = LOCAL;

export function dataKeyStoreContract(name: string, open: () => Promise<OpenedKeys>): void {
  describe(`${name} as a DataKeyStore`, () => {
    let opened: OpenedKeys;
    let number = 0;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    const keys = (): DataKeyStore => opened.stores.dataKeys;
    const newKey = (master_key_id: string): WrappedKey => {
      return { master_key_id, wrapped: `wrapped-${++number}` };
    };
    const makeChat = async (id: string, data_key?: WrappedKey): Promise<string> => {
      await opened.stores.chats.createChat(
        chatOf({ id, created_at: AT, ...(data_key && { data_key }) }),
      );
      return uidOf(id);
    };
    const keyOf = async (uid: string) => (await keys().findOfChats([uid]))[0]?.key;

    it('keeps the key of a chat that is created, and shows it to nobody else', async () => {
      const key = newKey('k1');
      const uid = await makeChat('created', key);
      expect(await keys().findOfChats([uid, uidOf('unknown')])).toEqual([
        { chat_uid: uid, tenant_id, key },
      ]);
      const row = await opened.stores.chats.findChat('created', LOCAL);
      expect(JSON.stringify(row)).not.toContain(key.wrapped);
      await opened.reopen();
      expect(await keyOf(uid)).toEqual(key);
    });

    it('keeps the key of a chat that a start creates, and of one that is imported', async () => {
      const [started, imported] = [newKey('k1'), newKey('k1')];
      const start = newStart({ chat_id: 'begun' });
      await opened.stores.interactions.startInteraction({
        ...start,
        chat: { ...start.chat, data_key: started },
      });
      expect(await keyOf(start.chat.uid)).toEqual(started);
      const { created_at, ...chat } = chatOf({ id: 'incoming', created_at: AT });
      const incoming = await opened.stores.archive.receive(chat);
      const row = { ...chat, created_at, updated_at: AT, head_interaction_id: null, preview: null };
      expect(await incoming.commit(row, imported)).toBe(true);
      expect(await keyOf(uidOf('incoming'))).toEqual(imported);
      await opened.reopen();
      expect(await keyOf(start.chat.uid)).toEqual(started);
      expect(await keyOf(uidOf('incoming'))).toEqual(imported);
    });

    it('refuses a start that is sealed for another chat, and writes nothing', async () => {
      const uid = await makeChat('sealed');
      const begin = (sealed_for: string, chat: string) => {
        const start = { ...newStart({ chat_id: chat }), sealed_for };
        return opened.stores.interactions.startInteraction(start);
      };
      const other = uidOf('another');
      expect(await begin(other, 'sealed')).toEqual({ outcome: 'other_chat', chat_uid: uid });
      expect(await begin(other, 'gone')).toEqual({ outcome: 'other_chat', chat_uid: null });
      expect(await opened.stores.chats.findChat('gone', LOCAL)).toBeUndefined();
      expect(await opened.stores.interactions.findActiveInteraction(uid)).toBeUndefined();
      expect(await begin(uid, 'sealed')).toMatchObject({ outcome: 'started' });
    });

    it('gives a chat a key once', async () => {
      const uid = await makeChat('plain');
      expect(await keys().findOfChats([uid])).toEqual([{ chat_uid: uid, tenant_id, key: null }]);
      const [one, two] = [newKey('k1'), newKey('k1')];
      const given = await Promise.all([one, two].map((key) => keys().giveToChat(uid, key)));
      expect(given[0]).toEqual(given[1]);
      expect(await keyOf(uid)).toEqual(given[0]);
      expect(await keys().giveToChat(uidOf('nowhere'), newKey('k1'))).toBeUndefined();
    });

    it('deletes the key with the chat', async () => {
      const uid = await makeChat('deleted', newKey('k1'));
      await opened.stores.chats.deleteChat(uid);
      expect(await keys().findOfChats([uid])).toEqual([]);
      expect(await keys().listSamples()).not.toContainEqual(
        expect.objectContaining({ chat_uid: uid }),
      );
      await opened.reopen();
      expect(await keys().findOfChats([uid])).toEqual([]);
    });

    it('keeps one key of each tenant', async () => {
      expect(await keys().findOfTenant('acme')).toBeUndefined();
      const [one, two] = [newKey('k1'), newKey('k1')];
      const given = await Promise.all([one, two].map((key) => keys().giveToTenant('acme', key)));
      expect(given[0]).toEqual(given[1]);
      await opened.reopen();
      expect(await keys().findOfTenant('acme')).toEqual(given[0]);
    });

    it('has a few samples of each master key', async () => {
      const more = SAMPLES_OF_KEY + 1;
      for (let n = 0; n < more; n++) {
        await makeChat(`of-k2-${n}`, newKey('k2'));
        await keys().giveToTenant(`of-k3-${n}`, newKey('k3'));
      }
      const samples = await keys().listSamples();
      expect([...new Set(samples.map((key) => key.master_key_id))].sort()).toEqual([
        ...['k1', 'k2', 'k3'],
      ]);
      expect(samples).toContainEqual(
        expect.objectContaining({ master_key_id: 'k3', chat_uid: null }),
      );
      for (const id of ['k2', 'k3'])
        expect(samples.filter((key) => key.master_key_id === id)).toHaveLength(SAMPLES_OF_KEY);
    });

    it('lists the keys of other master keys, and replaces them', async () => {
      await makeChat('rotated', newKey('new'));
      for (let others: OwnedKey[]; (others = await keys().listOthers('new', 2)).length > 0;)
        for (const key of others) {
          expect(key.master_key_id).not.toBe('new');
          const after = newKey('new');
          const stale = { ...key, wrapped: 'stale' };
          expect(await keys().replace(stale, after)).toBe(false);
          expect(await keys().replace(key, after)).toBe(true);
        }
      await opened.reopen();
      const samples = await keys().listSamples();
      expect(new Set(samples.map((key) => key.master_key_id))).toEqual(new Set(['new']));
      const row = await opened.stores.interactions.findActiveInteraction(uidOf('begun'));
      expect(await opened.stores.interactions.findInteraction(row!.id, ANY_TENANT)).toEqual(row);
    });
  });
}
