import { FileCatalog, seesFile } from '../../files/file-catalog.js';
import type { AddedFile, FileKey, FilePage, FileRow } from '../../files/file-catalog.js';
import { KeyedMutex } from '../../kernel/async/keyed-mutex.js';
import type { AdoptedFile } from '../../persistence/rows/start-rows.js';
import type { AnyViewer } from '../../persistence/viewer.js';
import { NO_JOURNAL } from './core/row-journal.js';
import type { RowJournal } from './core/row-journal.js';
import { compareKeys } from './core/store-index.js';
import type { StoreIndex } from './core/store-index.js';

export type KeptFile = FileRow & { readonly deleted?: true };

/** The chat that files join, and whose they have to be. */
export type ChatOfFiles = Pick<FileRow, 'tenant_id' | 'owner'> & {
  readonly chat_uid: string;
  readonly chat_id: string;
};

export interface FileCatalogParts {
  readonly chats: StoreIndex;
  readonly journal?: RowJournal<KeptFile>;
  readonly rows?: readonly KeptFile[];
  /** True if a chat that is not in the index was deleted; false if it could not be read. */
  readonly isDeleted?: (chatUid: string) => boolean;
  readonly folder?: FolderNote;
}

/** The id of the folder that has the bytes, in memory. */
export class FolderNote {
  constructor(public id?: string) {}

  async keep(id: string): Promise<void> {
    this.id = id;
  }
}

/** All rows in memory. */
export class MemoryFileCatalog extends FileCatalog {
  private readonly rows: Map<string, KeptFile>;
  private readonly chats: StoreIndex;
  private readonly journal: RowJournal<KeptFile>;
  private readonly isDeleted: (chatUid: string) => boolean;
  private readonly folder: FolderNote;
  private readonly mutex = new KeyedMutex();
  /** Rows whose mark is not saved yet. Their bytes have to stay: a kill would undo the mark. */
  private readonly unsaved = new Set<string>();
  /** Rows that are being saved. */
  private readonly adding = new Set<FileRow>();

  constructor({
    chats,
    journal = NO_JOURNAL,
    rows = [],
    isDeleted = () => true,
    folder = new FolderNote(),
  }: FileCatalogParts) {
    super();
    this.chats = chats;
    this.journal = journal;
    this.rows = new Map(rows.map((row) => [row.id, row]));
    this.isDeleted = isDeleted;
    this.folder = folder;
  }

  async add(row: FileRow, room = Infinity): Promise<AddedFile> {
    if (!this.hasChat(row)) return 'chat_deleted';
    if (this.countBytes(row.tenant_id) + row.size_bytes > room) return 'no_room';
    this.adding.add(row);
    try {
      await this.journal.save(row);
      this.rows.set(row.id, row);
    } finally {
      this.adding.delete(row);
    }
    return 'added';
  }

  /**
   * Files of the owner that are in no chat join this one, which is in the index. At once in memory:
   * whatever becomes of the rows on the disk, the start that adopts them has taken place.
   */
  async adopt(
    files: readonly (Pick<AdoptedFile, 'id'> & Partial<AdoptedFile>)[],
    chat: ChatOfFiles,
  ): Promise<void> {
    const { tenant_id, owner, chat_uid, chat_id } = chat;
    const adopted = files.flatMap(({ id, ...named }) => {
      const row = this.rows.get(id);
      if (row?.chat_uid !== null || row.deleted) return [];
      if (row.tenant_id !== tenant_id || row.owner !== owner) return [];
      return { ...row, ...named, chat_uid, chat_id };
    });
    for (const row of adopted) this.rows.set(row.id, row);
    for (const row of adopted) await this.journal.save(row);
  }

  /** Saves files of a chat that is being imported. If it never enters, they are purged. */
  async save(rows: readonly FileRow[]): Promise<void> {
    for (const row of rows) await this.journal.save(row);
  }

  /** With their chat, which makes them visible. */
  enter(rows: readonly FileRow[]): void {
    for (const row of rows) this.rows.set(row.id, row);
  }

  async find(id: string, viewer: AnyViewer): Promise<FileRow | undefined> {
    return this.findSeen(id, viewer);
  }

  async list({ viewer, limit, chat_uid, before }: FilePage): Promise<FileRow[]> {
    const found = [...this.rows.values()].filter(
      (row) =>
        (chat_uid === undefined || row.chat_uid === chat_uid) &&
        (!before || compareKeys(row, before) < 0) &&
        this.isSeen(row, viewer),
    );
    return found.sort((a, b) => compareKeys(b, a)).slice(0, limit);
  }

  async delete(id: string, viewer: AnyViewer): Promise<FileRow | undefined> {
    const row = this.findSeen(id, viewer);
    if (row) await this.mark(row);
    return row;
  }

  async deleteUnattached(before: string): Promise<number> {
    const old = [...this.rows.values()].filter(
      ({ chat_uid, created_at, deleted }) =>
        chat_uid === null && created_at < before && deleted === undefined,
    );
    for (const row of old) await this.mark(row);
    return old.length;
  }

  async listDeleted({ limit, after = '' }: { limit: number; after?: string }): Promise<FileKey[]> {
    const deleted = [...this.rows.values()].filter(
      (row) => row.id > after && (this.isMarked(row) || this.isOfDeletedChat(row)),
    );
    const sorted = deleted.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
    return sorted.map(({ id, tenant_id }) => ({ id, tenant_id }));
  }

  async remove(id: string): Promise<void> {
    await this.journal.erase(id);
    this.rows.delete(id);
  }

  async findNewest(
    chatUids: readonly string[],
    limit: number,
  ): Promise<Map<string, readonly string[]>> {
    const found = new Map<string, KeptFile[]>(chatUids.map((uid) => [uid, []]));
    for (const row of this.rows.values())
      if (!row.deleted) found.get(row.chat_uid ?? '')?.push(row);
    const newest = (rows: KeptFile[]) => rows.sort((a, b) => compareKeys(b, a)).slice(0, limit);
    return new Map(
      [...found].flatMap(([uid, rows]) =>
        rows.length > 0 ? [[uid, newest(rows).map(({ id }) => id)] as const] : [],
      ),
    );
  }

  async findFolder(): Promise<string | undefined> {
    return this.folder.id;
  }

  claimFolder(id: string): Promise<string> {
    return this.mutex.run('folder', async () => {
      if (this.folder.id === undefined) await this.folder.keep(id);
      return this.folder.id ?? id;
    });
  }

  async findKnown(ids: readonly string[]): Promise<string[]> {
    return ids.filter((id) => this.rows.has(id) || this.journal.has(id));
  }

  /** Total size of the files of a tenant whose bytes are not removed. */
  countBytes(tenantId: string): number {
    let total = 0;
    for (const rows of [this.rows.values(), this.adding])
      for (const { tenant_id, size_bytes } of rows) if (tenant_id === tenantId) total += size_bytes;
    return total;
  }

  /** At once in memory, so that of several calls one deletes it. */
  private async mark(row: KeptFile): Promise<void> {
    const marked = { ...row, deleted: true } as const;
    this.rows.set(row.id, marked);
    this.unsaved.add(row.id);
    try {
      await this.journal.save(marked);
    } catch (error) {
      this.rows.set(row.id, row);
      throw error;
    } finally {
      this.unsaved.delete(row.id);
    }
  }

  private isMarked({ id, deleted }: KeptFile): boolean {
    return deleted === true && !this.unsaved.has(id);
  }

  private findSeen(id: string, viewer: AnyViewer): KeptFile | undefined {
    const row = this.rows.get(id);
    return row && this.isSeen(row, viewer) ? row : undefined;
  }

  private isSeen(row: KeptFile, viewer: AnyViewer): boolean {
    const chat = this.chats.findChat(row.chat_uid ?? '')?.row;
    return row.deleted === undefined && seesFile(viewer, row, chat);
  }

  private hasChat({ chat_uid }: FileRow): boolean {
    return chat_uid === null || this.chats.findChat(chat_uid) !== undefined;
  }

  private isOfDeletedChat(row: FileRow): boolean {
    return row.chat_uid !== null && !this.hasChat(row) && this.isDeleted(row.chat_uid);
  }
}
