import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../src/kernel/clock.js';
import { FileInteractionStore } from '../../src/storage/file/file-interaction-store.js';
import type { StorageProblem } from '../../src/storage/file/report-problem.js';

/** A data folder of its own, what is in it, and what the store had to say about it. */
export class FileStoreFolder {
  problems: StorageProblem[] = [];
  #store: FileInteractionStore | undefined;

  private constructor(readonly path: string) {}

  static async make(): Promise<FileStoreFolder> {
    return new FileStoreFolder(await mkdtemp(join(tmpdir(), 'parley-files-')));
  }

  /** Closes the store if one is open; `problems` are those of this opening. */
  async open(): Promise<FileInteractionStore> {
    await this.#store?.close();
    this.problems = [];
    this.#store = await FileInteractionStore.open({
      data_dir: this.path,
      clock: new SystemClock(),
      report: (problem) => this.problems.push(problem),
    });
    return this.#store;
  }

  async close(): Promise<void> {
    await this.#store?.close();
    this.#store = undefined;
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.path, { recursive: true, force: true });
  }

  chat(chatId: string): string {
    return join(this.path, 'chats', chatId);
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
