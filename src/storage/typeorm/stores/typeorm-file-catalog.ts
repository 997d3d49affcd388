import { FileCatalog } from '../../../files/file-catalog.js';
import type { AddedFile, FileKey, FilePage, FileRow } from '../../../files/file-catalog.js';
import type { AnyViewer } from '../../../persistence/viewer.js';
import type { Database, Row, Statement, Step } from '../connection/database.js';
import { asParameters, named } from '../named-statement.js';
import { inSeenChat, viewerValues, VIEWER } from '../viewer-sql.js';

export const FILE_COLUMNS =
  'id, tenant_id, owner, chat_uid, chat_id, filename, mime_type, size_bytes, sha256, created_at';

/** Additions of a tenant that has a quota are serialized, on all processes. */
const LOCK_FILES: Statement = {
  name: 'files.lock',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('files/' || $1::text, 0))`,
};

/** The lock on the chat's row prevents its deletion meanwhile. Any room, if that is null. */
const ADD = named({
  name: 'files.add',
  parameters: `${FILE_COLUMNS}, room`,
  text: `WITH chat AS (SELECT uid FROM chats WHERE uid = :chat_uid FOR KEY SHARE),
    verdict AS (SELECT
      :chat_uid::uuid IS NULL OR EXISTS (SELECT FROM chat) AS has_chat,
      :room::float8 IS NULL OR (SELECT coalesce(sum(size_bytes), 0) FROM files WHERE tenant_id = :tenant_id) + :size_bytes::bigint <= :room::float8 AS has_room),
    added AS (INSERT INTO files (${FILE_COLUMNS})
      SELECT ${asParameters(FILE_COLUMNS)} FROM verdict WHERE has_chat AND has_room RETURNING id)
    SELECT has_chat, has_room, (SELECT count(*) FROM added) AS added FROM verdict`,
});

/** The condition of `seesFile` for a file `f`, which is not deleted. */
const IS_SEEN = `NOT f.is_deleted AND CASE WHEN f.chat_uid IS NOT NULL THEN ${inSeenChat('f')}
    ELSE :any_tenant::boolean OR f.tenant_id = :tenant_id::text AND (:is_admin::boolean OR f.owner = :user_id::text) END`;

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

const FIND = named({
  name: 'files.find',
  parameters: `id, ${VIEWER}`,
  text: `SELECT ${FILE_COLUMNS} FROM files f WHERE f.id = :id AND ${IS_SEEN}`,
});

const PAGE = `limit, before_at, before_id, ${VIEWER}` as const;

/** The files that a condition selects, of a page. */
function newest(condition: string): string {
  return `SELECT ${FILE_COLUMNS} FROM files f WHERE ${condition} AND ${IS_SEEN}
      AND (:before_at::timestamptz IS NULL OR (f.created_at, f.id) < (:before_at, :before_id::text))
      ORDER BY f.created_at DESC, f.id DESC LIMIT :limit`;
}

const LIST = named({ parameters: PAGE, text: newest('f.tenant_id = :tenant_id::text') });
const LIST_OF_CHAT = named({
  parameters: `chat_uid, ${PAGE}`,
  text: newest('f.chat_uid = :chat_uid'),
});

const DELETE = named({
  name: 'files.delete',
  parameters: `id, ${VIEWER}`,
  text: `UPDATE files f SET is_deleted = true WHERE f.id = :id AND ${IS_SEEN} RETURNING ${FILE_COLUMNS}`,
});

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
    const add = ADD({ ...row, room });
    if (room === undefined) return outcomeOf(await this.db.query(...add));
    const [, added] = await this.db.batch([[LOCK_FILES, [row.tenant_id]], add]);
    return outcomeOf(added!);
  }

  async find(id: string, viewer: AnyViewer): Promise<FileRow | undefined> {
    return this.#one(FIND({ id, ...viewerValues(viewer) }));
  }

  async list({ viewer, limit, chat_uid, before }: FilePage): Promise<FileRow[]> {
    const place = { before_at: before?.created_at, before_id: before?.id };
    const page = { limit, ...place, ...viewerValues(viewer) };
    const list = chat_uid === undefined ? LIST(page) : LIST_OF_CHAT({ chat_uid, ...page });
    return (await this.db.query<Columns>(...list)).map(toRow);
  }

  delete(id: string, viewer: AnyViewer): Promise<FileRow | undefined> {
    return this.#one(DELETE({ id, ...viewerValues(viewer) }));
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

  async #one(step: Step): Promise<FileRow | undefined> {
    const [found] = await this.db.query<Columns>(...step);
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
