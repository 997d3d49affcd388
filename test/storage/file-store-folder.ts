import { uidOf } from '../support/store/chat-parts.js';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../src/kernel/clock.js';
import type { FileStores } from '../../src/storage/file/file-stores.js';
import { openFileStores } from '../../src/storage/file/file-stores.js';
import type { StorageProblem } from '../../src/storage/file/report-problem.js';
import type { WholeStore } from '../support/store/whole-store.js';
import { wholeStore } from '../support/store/whole-store.js';

/** A data folder of its own, what is in it, and what the store had to say about it. */
export class FileStoreFolder {
  problems: StorageProblem[] = [];
  #stores: FileStores | undefined;

  private constructor(readonly path: string) {}

  static async make(): Promise<FileStoreFolder> {
    return new FileStoreFolder(await mkdtemp(join(tmpdir(), 'parley-files-')));
  }

  /** Closes the store if one is open; `problems` are those of this opening. */
  async open(): Promise<WholeStore> {
    return wholeStore(await this.openStores());
  }

  async openStores(): Promise<FileStores> {
    await this.#stores?.close();
    this.problems = [];
    this.#stores = await openFileStores({
      data_dir: this.path,
      clock: new SystemClock(),
      report: (problem) => this.problems.push(problem),
    });
    return this.#stores;
  }

  async close(): Promise<void> {
    await this.#stores?.close();
    this.#stores = undefined;
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.path, { recursive: true, force: true });
  }

  /** In the folder of the chats. */
  place(name: string): string {
    return join(this.path, 'chats', name);
  }

  chat(chatId: string): string {
    return this.place(uidOf(chatId));
  }

  chatFile(chatId: string): string {
    return join(this.chat(chatId), 'chat.json');
  }

  requestsFile(chatId: string): string {
    return join(this.chat(chatId), 'requests.json');
  }

  log({ id, chat_id }: { id: string; chat_id: string }): string {
    return join(this.chat(chat_id), 'interactions', `${id}.events.jsonl`);
  }

  projection({ id, chat_id }: { id: string; chat_id: string }): string {
    return join(this.chat(chat_id), 'interactions', `${id}.json`);
  }

  async readJson(path: string): Promise<Record<string, unknown>> {
    return JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  }
}
