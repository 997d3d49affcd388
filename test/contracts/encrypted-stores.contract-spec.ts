import type { NewChat } from '../../src/persistence/rows/chat-rows.js';
import { FILES, PGLITE } from '../e2e/stores.js';
import type { StoreKind } from '../e2e/stores.js';
import { encrypted, encryptedMemory } from '../support/store/encrypted.js';
import { EVERY_STORE } from '../support/thoroughness.js';
import { wholeStore } from '../support/store/whole-store.js';
import { chatArchiveContract } from './chat-archive.contract.js';
import { fileCatalogContract } from './file-catalog.contract.js';
import { interactionStoreContract } from './interaction-store.contract.js';
import { ruleStoreContract } from './rule-store.contract.js';
import { taskStoreContract } from './task-store.contract.js';

interactionStoreContract('encrypted memory', async () => ({
  store: wholeStore(encryptedMemory()),
  close: async () => {},
}));

for (const kind of EVERY_STORE ? [FILES, PGLITE] : [FILES]) {
  const name = `encrypted ${kind.name}`;
  if (EVERY_STORE) interactionStoreContract(name, () => openInteractions(kind));
  chatArchiveContract(name, () => openArchive(kind));
  ruleStoreContract(name, () => openRules(kind));
  taskStoreContract(name, () => openTasks(kind));
  fileCatalogContract(name, () => openTasks(kind));
}

async function openInteractions(kind: StoreKind) {
  const opened = await kind.open();
  return {
    store: wholeStore(encrypted(opened.stores)),
    reopen: async () => {
      await opened.reopen();
      return wholeStore(encrypted(opened.stores));
    },
    reopensSlowly: kind === PGLITE,
    close: () => opened.close(),
  };
}

async function openArchive(kind: StoreKind) {
  const opened = await kind.open();
  const on = () => {
    const stores = encrypted(opened.stores);
    return { store: wholeStore(stores), archive: stores.archive, files: stores.files };
  };
  return {
    ...on(),
    reopen: async () => {
      await opened.reopen();
      return on();
    },
    close: () => opened.close(),
  };
}

async function openRules(kind: StoreKind) {
  const opened = await kind.open();
  let stores = encrypted(opened.stores);
  return {
    store: stores.rules,
    makeChat: async (chat: NewChat) => void (await stores.chats.createChat(chat)),
    deleteChat: async (uid: string) => void (await stores.chats.deleteChat(uid)),
    reopen: async () => {
      await opened.reopen();
      stores = encrypted(opened.stores);
      return stores.rules;
    },
    close: () => opened.close(),
  };
}

async function openTasks(kind: StoreKind) {
  const opened = await kind.open();
  let stores = encrypted(opened.stores);
  return {
    get tasks() {
      return stores.tasks;
    },
    get files() {
      return stores.files;
    },
    get usage() {
      return stores.usage;
    },
    get chats() {
      return stores.chats;
    },
    get interactions() {
      return stores.interactions;
    },
    async reopen() {
      await opened.reopen();
      stores = encrypted(opened.stores);
    },
    close: () => opened.close(),
  };
}
