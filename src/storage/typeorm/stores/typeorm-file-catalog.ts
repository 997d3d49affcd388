import { FileCatalog } from '../../../files/file-catalog.js';
import type { AddedFile, FileKey, FilePage, FileRow } from '../../../files/file-catalog.js';
import type { AnyViewer } from '../../../persistence/viewer.js';
import type { Database, Row, Statement } from '../connection/database.js';
import { inSeenChat, viewerValues } from '../viewer-sql.js';

export const FILE_COLUMNS =
  'id, tenant_id, owner, chat_uid, chat_id, filename, mime_type, size_bytes, sha256, created_at';

/** Additions of a tenant that has a quota are serialized, on all processes. */
const LOCK_FILES: Statement = {
  name: 'files.lock',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('files/' || $1::text, 0))`,
};

/** The lock on the chat's row prevents its deletion meanwhile. `$11`: the room, or null. */
const ADD: Statement = {
  name: 'files.add',
  text: `WITH chat AS (SELECT uid FROM chats WHERE uid = $4 FOR KEY SHARE),
    verdict AS (SELECT
      $4::uuid IS NULL OR EXISTS (SELECT FROM chat) AS has_chat,
      $11::float8 IS NULL OR (SELECT coalesce(sum(size_bytes), 0) FROM files WHERE tenant_id = $2) + $8::bigint <= $11::float8 AS has_room),
    added AS (INSERT INTO files (${FILE_COLUMNS})
      SELECT $1, $2, $3, $4::uuid, $5, $6, $7, $8::bigint, $9, $10 FROM verdict WHERE has_chat AND has_room RETURNING id)
    SELECT has_chat, has_room, (SELECT count(*) FROM added) AS added FROM verdict`,
};

/** The condition of `seesFile` for a file `f`, which is not deleted; `$first` as in `isSeen`. */
function isSeenFile(first: number): string {
  const [anyTenant, tenant, admin, user] = [0, 1, 2, 3].map((n) => `$${first + n}`);
  return `NOT f.is_deleted AND CASE WHEN f.chat_uid IS NOT NULL THEN ${inSeenChat('f', first)}
    ELSE ${anyTenant}::boolean OR f.tenant_id = ${tenant}::text AND (${admin}::boolean OR f.owner = ${user}::text) END`;
}

/**
 * The files `$2`, now named `$3`, join the chat of the interaction `$1`, if there is one now: its
 * start was not refused.
 */
export const ADOPT: Statement = {
  name: 'files.adopt',
  text: `UPDATE files f SET chat_uid = i.chat_uid, chat_id = i.chat_id, filename = a.filename
    FROM interactions i, unnest($2::text[], $3::text[]) AS a (id, filename)
    WHERE i.id = $1 AND f.id = a.id AND f.tenant_id = i.tenant_id AND f.owner = i.started_by AND f.chat_uid IS NULL AND NOT f.is_deleted`,
};

const FIND: Statement = {
  name: 'files.find',
  text: `SELECT ${FILE_COLUMNS} FROM files f WHERE f.id = $1 AND ${isSeenFile(2)}`,
};

/** Those that `condition` selects, before `$6` `$7` if that is set; `$1` to `$4` are the viewer. */
function newest(condition: string): Statement {
  return {
    text: `SELECT ${FILE_COLUMNS} FROM files f WHERE ${condition} AND ${isSeenFile(1)}
      AND ($6::timestamptz IS NULL OR (f.created_at, f.id) < ($6, $7::text))
      ORDER BY f.created_at DESC, f.id DESC LIMIT $5`,
  };
}

const LIST = newest('f.tenant_id = $2::text');
const LIST_OF_CHAT = newest('f.chat_uid = $8');

const DELETE: Statement = {
  name: 'files.delete',
  text: `UPDATE files f SET is_deleted = true WHERE f.id = $1 AND ${isSeenFile(2)} RETURNING ${FILE_COLUMNS}`,
};

const DELETE_UNATTACHED: Statement = {
  text: `UPDATE files SET is_deleted = true WHERE chat_uid IS NULL AND created_at < $1 AND NOT is_deleted RETURNING id`,
};

const LIST_DELETED: Statement = {
  text: 'SELECT id, tenant_id FROM files WHERE is_deleted AND id > $1 ORDER BY id LIMIT $2',
};

const REMOVE: Statement = {
  name: 'files.remove',
  text: 'DELETE FROM files WHERE id = $1 AND is_deleted',
};

const FIND_FOLDER: Statement = { text: 'SELECT id FROM file_folder' };

const CLAIM_FOLDER: Statement = {
  text: 'INSERT INTO file_folder (id) VALUES ($1) ON CONFLICT (is_only) DO NOTHING',
};

const FIND_KNOWN: Statement = { text: 'SELECT id FROM files WHERE id = ANY($1::text[])' };

const FIND_NEWEST: Statement = {
  name: 'files.newest',
  text: `SELECT c.uid, f.ids FROM unnest($1::uuid[]) AS c (uid) CROSS JOIN LATERAL (
      SELECT array_agg(id ORDER BY created_at DESC, id DESC) AS ids FROM (
        SELECT id, created_at FROM files WHERE chat_uid = c.uid AND NOT is_deleted ORDER BY created_at DESC, id DESC LIMIT $2) newest) f
    WHERE f.ids IS NOT NULL`,
};

interface Columns extends Omit<FileRow, 'created_at' | 'size_bytes'> {
  readonly created_at: Date;
  /** The driver gives it as text. */
  readonly size_bytes: string;
}

/** The file catalog in Postgres, on a server or embedded. */
export class TypeOrmFileCatalog extends FileCatalog {
  constructor(private readonly db: Database) {
    super();
  }

  async add(row: FileRow, room?: number): Promise<AddedFile> {
    const { id, tenant_id, owner, chat_uid, chat_id } = row;
    const { filename, mime_type, size_bytes, sha256, created_at } = row;
    const place = [id, tenant_id, owner, chat_uid, chat_id];
    const values = [...place, filename, mime_type, size_bytes, sha256, created_at];
    if (room === undefined) return outcomeOf(await this.db.query(ADD, [...values, null]));
    const [, added] = await this.db.batch([
      [LOCK_FILES, [tenant_id]],
      [ADD, [...values, room]],
    ]);
    return outcomeOf(added!);
  }

  async find(id: string, viewer: AnyViewer): Promise<FileRow | undefined> {
    return this.#one(FIND, id, viewer);
  }

  async list({ viewer, limit, chat_uid, before }: FilePage): Promise<FileRow[]> {
    const values = [...viewerValues(viewer), limit, before?.created_at, before?.id];
    const rows =
      chat_uid === undefined
        ? await this.db.query<Columns>(LIST, values)
        : await this.db.query<Columns>(LIST_OF_CHAT, [...values, chat_uid]);
    return rows.map(toRow);
  }

  delete(id: string, viewer: AnyViewer): Promise<FileRow | undefined> {
    return this.#one(DELETE, id, viewer);
  }

  async deleteUnattached(before: string): Promise<number> {
    return (await this.db.query(DELETE_UNATTACHED, [before])).length;
  }

  listDeleted({ limit, after = '' }: { limit: number; after?: string }): Promise<FileKey[]> {
    return this.db.query<Columns>(LIST_DELETED, [after, limit]);
  }

  async remove(id: string): Promise<void> {
    await this.db.query(REMOVE, [id]);
  }

  async findFolder(): Promise<string | undefined> {
    const [folder] = await this.db.query<{ id: string }>(FIND_FOLDER, []);
    return folder?.id;
  }

  async claimFolder(id: string): Promise<string> {
    const claim = [CLAIM_FOLDER, [id]] as const;
    const [, kept] = await this.db.batch<{ id: string }>([claim, [FIND_FOLDER, []]]);
    return kept![0]!.id;
  }

  async findKnown(ids: readonly string[]): Promise<string[]> {
    return (await this.db.query<FileKey>(FIND_KNOWN, [ids])).map(({ id }) => id);
  }

  async findNewest(
    chatUids: readonly string[],
    limit: number,
  ): Promise<Map<string, readonly string[]>> {
    const found = await this.db.query<{ uid: string; ids: string[] }>(FIND_NEWEST, [
      chatUids,
      limit,
    ]);
    return new Map(found.map(({ uid, ids }) => [uid, ids]));
  }

  async #one(statement: Statement, id: string, viewer: AnyViewer): Promise<FileRow | undefined> {
    const [found] = await this.db.query<Columns>(statement, [id, ...viewerValues(viewer)]);
    return found && toRow(found);
  }
}

function outcomeOf([verdict]: readonly Row[]): AddedFile {
  if (!verdict!['has_chat']) return 'chat_deleted';
  return verdict!['has_room'] ? 'added' : 'no_room';
}

function toRow({ size_bytes, created_at, ...rest }: Columns): FileRow {
  return { ...rest, size_bytes: Number(size_bytes), created_at: created_at.toISOString() };
}
