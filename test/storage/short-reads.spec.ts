import { randomBytes } from 'node:crypto';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { jest } from '@jest/globals';
import { readArchive } from '../../src/backup/archive.js';
import { ArchiveWriter } from '../../src/backup/archive-writer.js';
import { readSpan } from '../../src/kernel/disk/read-span.js';
import { FileAuditStore } from '../../src/storage/file/file-audit-store.js';
import { readUpTo } from '../../src/workspace/read-file.js';

type Read = (
  this: FileHandle,
  bytes: Buffer,
  offset: number,
  length: number,
  position: number,
) => Promise<{ readonly bytesRead: number }>;

/** The most bytes that a read gives, as of a file on another machine. */
const MOST = 1_000;

describe('A file system that gives less than it is asked for', () => {
  const content = randomBytes(10 * MOST + 1);
  let folder: string;
  let path: string;
  let handle: FileHandle;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-short-'));
    path = join(folder, 'file');
    await writeFile(path, content);
    handle = await open(path, 'r');
    const handles = Object.getPrototypeOf(handle) as { read: Read };
    const { read } = handles;
    const short: Read = function (bytes, offset, length, position) {
      return read.call(this, bytes, offset, Math.min(length, MOST), position);
    };
    jest.spyOn(handles, 'read').mockImplementation(short);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await handle.close();
    await rm(folder, { recursive: true });
  });

  it('is asked until the span is there, or the file ends', async () => {
    expect(await readSpan(handle, 5, 3 * MOST)).toEqual(content.subarray(5, 5 + 3 * MOST));
    expect(await readSpan(handle, 9 * MOST, 5 * MOST)).toEqual(content.subarray(9 * MOST));
    expect(await readSpan(handle, content.length, 1)).toHaveLength(0);
  });

  it('leaves no holes in a backup', async () => {
    const archive = join(folder, 'backup.tar.gz');
    const writer = await ArchiveWriter.create(archive);
    await writer.addFile('files/a', path);
    await writer.finish();
    for await (const entry of readArchive(archive))
      if (entry.name === 'files/a') expect(await buffer(entry.content)).toEqual(content);
    expect.assertions(1);
  });

  it('does not cut a file that a tool reads', async () => {
    const read = await readUpTo(handle, { limit: content.length, size: content.length });
    expect(read).toEqual(content);
  });

  it('leaves out no entry of the audit trail', async () => {
    const entry = { at: '2026-01-15T10:00:00.000Z', tenant_id: 'acme', user_id: 'ann' };
    const added = Array.from({ length: 30 }, (_, at) => ({
      ...{ ...entry, id: `audit_${at}`, action: 'chat.created' as const, detail: {} },
    }));
    const store = await FileAuditStore.open(folder, () => {});
    for (const each of added) await store.add(each);
    expect(await store.list({ tenant_id: 'acme', limit: 100 })).toEqual(added.toReversed());
    await store.close();
    const again = await FileAuditStore.open(folder, () => {});
    expect(await again.list({ tenant_id: 'acme', limit: 100 })).toHaveLength(30);
    await again.close();
  });
});
