import { UNREADABLE } from '../../../encryption/unreadable.js';
import type { DataKey } from '../../../encryption/data-key.js';
import type { DataKeys } from '../../../encryption/data-keys.js';
import { FileCatalog } from '../../../files/file-catalog.js';
import type { AddedFile, FileKey, FilePage, FileRow } from '../../../files/file-catalog.js';
import type { AnyViewer } from '../../../persistence/viewer.js';
import { openEach } from '../open-each.js';
import { keyIdOf, openText } from '../sealed/sealed-fields.js';

/** A file catalog in another store, with encrypted names of files. */
export class EncryptedFileCatalog extends FileCatalog {
  constructor(
    private readonly inner: FileCatalog,
    private readonly keys: DataKeys,
  ) {
    super();
  }

  async add(row: FileRow, room?: number): Promise<AddedFile> {
    const { chat_uid, tenant_id } = row;
    const key = await (chat_uid === null
      ? this.keys.ofTenant(tenant_id)
      : this.keys.ofChat(chat_uid));
    if (!key) return 'chat_deleted';
    return this.inner.add(sealFile(key, row), room);
  }

  async find(id: string, viewer: AnyViewer): Promise<FileRow | undefined> {
    return this.openFound(await this.inner.find(id, viewer));
  }

  async list(page: FilePage): Promise<FileRow[]> {
    return this.openList(await this.inner.list(page));
  }

  findNewest(chatUids: readonly string[], limit: number): Promise<Map<string, readonly string[]>> {
    return this.inner.findNewest(chatUids, limit);
  }

  async delete(id: string, viewer: AnyViewer): Promise<FileRow | undefined> {
    const row = await this.inner.delete(id, viewer);
    return row && ((await this.openList([row]))[0] ?? row);
  }

  deleteUnattached(before: string): Promise<number> {
    return this.inner.deleteUnattached(before);
  }

  listDeleted(page: { limit: number; after?: string }): Promise<FileKey[]> {
    return this.inner.listDeleted(page);
  }

  remove(id: string): Promise<void> {
    return this.inner.remove(id);
  }

  findFolder(): Promise<string | undefined> {
    return this.inner.findFolder();
  }

  claimFolder(id: string): Promise<string> {
    return this.inner.claimFolder(id);
  }

  findKnown(ids: readonly string[]): Promise<string[]> {
    return this.inner.findKnown(ids);
  }

  private openList(rows: readonly FileRow[]): Promise<FileRow[]> {
    return openEach(rows, { open: (some) => this.open(some), withoutTexts });
  }

  private async openFound(row: FileRow | undefined): Promise<FileRow | undefined> {
    return row && (await this.open([row]))[0];
  }

  private async open(rows: readonly FileRow[]): Promise<FileRow[]> {
    const ids = rows.flatMap(({ filename }) => keyIdOf(filename) ?? []);
    const keys = await this.keys.load(ids);
    return rows.map((row) => {
      return { ...row, filename: openText(keys, row.filename, [row.id, 'filename']) };
    });
  }
}

export function sealFile<F extends Pick<FileRow, 'id' | 'filename'>>(key: DataKey, row: F): F {
  return { ...row, filename: key.seal(row.filename, [row.id, 'filename']) };
}

function withoutTexts(row: FileRow): FileRow {
  return { ...row, filename: UNREADABLE };
}
