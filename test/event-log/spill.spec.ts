import { uidOf } from '../support/store/chat-parts.js';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Secret } from '../../src/config/secrets/secret.js';
import { AppError } from '../../src/kernel/app-error.js';
import type { Encryption } from '../../src/encryption/encryption.js';
import { SpillFolder } from '../../src/event-log/spill/spill-folder.js';
import { Spill } from '../../src/event-log/spill/spill.js';
import { openEncrypted } from '../../src/storage/encrypted/open-encrypted.js';
import type { InteractionRow } from '../../src/persistence/rows/interaction-row.js';
import {
  endBatch,
  HELD,
  newBatch,
  newStart,
  readAll,
  started,
} from '../contracts/interaction-store/fixtures.js';
import { FILES } from '../e2e/stores.js';
import type { WholeStore } from '../support/store/whole-store.js';
import { memoryStore, portsOf, wholeStore } from '../support/store/whole-store.js';

const ROOM = 1_000_000;

describe(Spill.name, () => {
  let dataDir: string;
  let store: WholeStore;
  let interaction: InteractionRow;
  let logged: string[];
  const open = async (room = ROOM, encryption?: Encryption): Promise<Spill> => {
    const spill = new Spill(portsOf(store), new SpillFolder(dataDir, room), encryption);
    await spill.open();
    return spill;
  };
  const file = (): string => join(dataDir, 'spill', `${interaction.id}.jsonl`);
  const aside = (): Promise<string[]> => readdir(join(dataDir, 'spill', 'aside'));
  const seqs = async (): Promise<number[]> =>
    (await readAll(store, interaction.id)).map(({ seq }) => seq);

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'parley-spill-'));
    store = memoryStore();
    interaction = await started(store, { lease: HELD });
    logged = [];
    for (const level of ['log', 'warn', 'error'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation((...words: unknown[]) => {
        logged.push(words.map(String).join(' '));
      });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('saves what it kept with the epoch of its run, in order, and lets go of the lease', async () => {
    const spill = await open();
    expect(await spill.keep(newBatch(interaction.id, [2, 3]))).toBe(true);
    expect(await spill.keep(newBatch(interaction.id, [4, 4], { status: 'WAITING_INPUT' }))).toBe(
      true,
    );
    expect(spill.count).toBe(1);
    expect((await stat(file())).mode & 0o077).toBe(0);
    expect(await spill.flush(interaction.id)).toBe('saved');
    expect(await seqs()).toEqual([1, 2, 3, 4]);
    expect(await store.findInteraction(interaction.id)).toMatchObject({
      status: 'WAITING_INPUT',
      epoch: 1,
    });
    expect(await store.acquireLease(interaction.id, HELD)).toMatchObject({ lost_owner: null });
    expect(spill.count).toBe(0);
    expect(await readdir(join(dataDir, 'spill'))).toEqual(['aside']);
  });

  it('is found by the next process', async () => {
    await (await open()).keep(newBatch(interaction.id, [2, 3]));
    const next = await open();
    expect(next.ids()).toEqual([interaction.id]);
    expect(next.takeOutage(interaction.id, 2)).toBe('unsaved');
    expect(next.takeOutage(interaction.id, 2)).toBeUndefined();
    expect(await next.flush(interaction.id)).toBe('saved');
    expect(await seqs()).toEqual([1, 2, 3]);
  });

  it('counts as saved what was written although nobody heard of it', async () => {
    const spill = await open();
    await spill.keep(newBatch(interaction.id, [2, 3]));
    await store.append([newBatch(interaction.id, [2, 3])]);
    expect(await spill.flush(interaction.id)).toBe('saved');
    expect(await seqs()).toEqual([1, 2, 3]);
  });

  it('is kept for another try while the store is away', async () => {
    const spill = await open();
    await spill.keep(newBatch(interaction.id, [2, 3]));
    const append = store.append.bind(store);
    store.append = () => Promise.reject(new AppError('unavailable', 'store_unavailable', 'Away.'));
    await expect(spill.flush(interaction.id)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(spill.count).toBe(1);
    store.append = append;
    expect(await Promise.all([spill.flush(interaction.id), spill.flush(interaction.id)])).toEqual([
      'saved',
      'nothing',
    ]);
    expect(await seqs()).toEqual([1, 2, 3]);
  });

  it('is set aside and reported when another run has taken over', async () => {
    const spill = await open();
    await spill.keep(newBatch(interaction.id, [2, 3]));
    await store.releaseLease(interaction.id, 1);
    await store.acquireLease(interaction.id, HELD);
    expect(await spill.flush(interaction.id)).toBe('aside');
    expect(await seqs()).toEqual([1]);
    expect(await aside()).toEqual([`${interaction.id}.1.jsonl`]);
    expect(logged.join()).toMatch(
      new RegExp(`${interaction.id}.*another run has taken over.*aside.*remove the file`),
    );
    expect(spill.count).toBe(0);
    await open();
    expect(logged.join()).toContain(
      `kept in ${join(dataDir, 'spill', 'aside', `${interaction.id}.1.jsonl`)}`,
    );
  });

  it('is set aside and reported when the store knows nothing of its run any more', async () => {
    const spill = await open();
    await spill.keep({ ...newBatch(interaction.id, [2, 3]), epoch: 2 });
    expect(await spill.flush(interaction.id)).toBe('aside');
    expect(await seqs()).toEqual([1]);
    expect(logged.join()).toContain('went back to an earlier state: it knows no run 2, only 1');
  });

  it('is set aside and reported when the interaction was deleted, or the store refuses it', async () => {
    const spill = await open();
    const gone = newStart().interaction.id;
    await spill.keep(newBatch(gone, [2, 3]));
    expect(await spill.flush(gone)).toBe('aside');
    expect(logged.join()).toContain('the interaction was deleted');
    await spill.keep(newBatch(interaction.id, [2, 3]));
    store.append = () => Promise.reject(new AppError('internal', 'store_failed', 'It says no.'));
    expect(await spill.flush(interaction.id)).toBe('aside');
    expect(logged.join()).toContain('It says no.');
    expect(await aside()).toHaveLength(2);
  });

  it('saves what is whole of a file whose end is torn, keeps the rest and reports it', async () => {
    const spill = await open();
    await spill.keep(newBatch(interaction.id, [2, 2]));
    await spill.keep(newBatch(interaction.id, [3, 4]));
    const text = await readFile(file(), 'utf8');
    await writeFile(file(), text.slice(0, -10));
    expect(await spill.flush(interaction.id)).toBe('saved');
    expect(await seqs()).toEqual([1, 2]);
    expect(logged.join()).toContain('The last 2 lines');
    expect(await aside()).toHaveLength(1);
  });

  it('is sealed where encryption is on, and what was changed is no text', async () => {
    const secret = new Secret(randomBytes(32).toString('base64'));
    const files = await FILES.open();
    const { stores, encryption } = await openEncrypted(files.stores, {
      encryptionKeys: [{ id: 'k1', secret }],
    });
    store = wholeStore(stores);
    interaction = await started(store, { lease: HELD });
    const other = await started(store, { lease: HELD });
    const spill = await open(ROOM, encryption);
    // the database is away
    store.findInteraction = () =>
      Promise.reject(new AppError('unavailable', 'store_unavailable', 'Away.'));
    for (const { id } of [interaction, other])
      for (const seq of [2, 3]) expect(await spill.keep(newBatch(id, [seq, seq]))).toBe(true);
    const text = await readFile(file(), 'utf8');
    expect(text).toContain('"records":["2 MESSAGE"]');
    expect(text).not.toContain('content');
    await writeFile(file(), text.replace(/.{9}"}\n$/, 'AAAAAAAAA"}\n'));
    const next = await open(ROOM, encryption);
    expect(await next.flush(interaction.id)).toBe('saved');
    expect(await next.flush(other.id)).toBe('saved');
    expect(await seqs()).toEqual([1, 2]);
    expect((await readAll(store, other.id)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(logged.join()).toContain('The last 1 lines');
    expect(await aside()).toHaveLength(1);
    await files.close();
  });

  it('is no reason for a run after that of another process', async () => {
    const spill = await open();
    spill.noteOutage(interaction.id, 1, 'unsaved');
    expect(spill.takeOutage(interaction.id, 3)).toBeUndefined();
    spill.noteOutage(interaction.id, 1, 'unsaved');
    expect(spill.takeOutage(interaction.id, 2)).toBe('unsaved');
  });

  it('forgets the outages after which another process has resumed or ended the interaction', async () => {
    const spill = await open();
    const [taken, ended] = [
      await started(store, { lease: HELD }),
      await started(store, { lease: HELD }),
    ];
    for (const { id } of [interaction, taken, ended]) spill.noteOutage(id, 1, 'unrenewed');
    await store.releaseLease(taken.id, 1);
    await store.acquireLease(taken.id, HELD);
    await store.append([endBatch(ended.id, 2)]);
    await spill.tidy();
    const outages = [interaction, taken, ended].map(({ id }) => spill.takeOutage(id, 2));
    expect(outages).toEqual(['unrenewed', undefined, undefined]);
  });

  it('is removed, where it was set aside, with its chat', async () => {
    const spill = await open();
    for (const { id } of [interaction, await started(store, { lease: HELD })]) {
      await spill.keep(newBatch(id, [2, 3]));
      await store.releaseLease(id, 1);
      await store.acquireLease(id, HELD);
      expect(await spill.flush(id)).toBe('aside');
    }
    await writeFile(join(dataDir, 'spill', 'aside', 'notes.txt'), 'not ours');
    await store.append([endBatch(interaction.id, 2, { epoch: 2 })]);
    await spill.tidy();
    expect(await aside()).toHaveLength(3);
    expect(await store.deleteChat(uidOf(interaction.chat_id))).toBe('deleted');
    await spill.tidy();
    expect(await aside()).toEqual([expect.stringMatching(/^int_.*\.1\.jsonl$/), 'notes.txt']);
    expect(await aside()).not.toContain(`${interaction.id}.1.jsonl`);
  });

  it('is cleaned up after a process that was killed while it wrote', async () => {
    await (await open()).keep(newBatch(interaction.id, [2, 3]));
    await writeFile(`${file()}.tmp`, 'half');
    await open();
    expect(await readdir(join(dataDir, 'spill'))).toEqual(['aside', `${interaction.id}.jsonl`]);
  });

  it('leaves alone what it has not written', async () => {
    const spill = await open();
    await spill.keep(newBatch(interaction.id, [2, 3]));
    await writeFile(join(dataDir, 'spill', '%zz.jsonl'), 'not ours');
    await mkdir(join(dataDir, 'spill', 'int_folder.jsonl'));
    const next = await open();
    expect(next.ids()).toEqual([interaction.id]);
    expect(await next.flush(interaction.id)).toBe('saved');
  });

  it('takes no more than it has room for, and says what is lost', async () => {
    const spill = await open(1000);
    await spill.keep(newBatch(interaction.id, [2, 2]));
    expect(await spill.keep(newBatch(interaction.id, [3, 30]))).toBe(false);
    expect(logged.join()).toContain(`28 records of ${interaction.id}`);
    expect(await spill.flush(interaction.id)).toBe('saved');
    expect(await seqs()).toEqual([1, 2]);
  });

  it('keeps nothing without a folder', async () => {
    const spill = new Spill(portsOf(store));
    await spill.open();
    expect(await spill.keep(newBatch(interaction.id, [2, 2]))).toBe(false);
    expect(await spill.flush(interaction.id)).toBe('nothing');
    expect(spill.takeOutage(interaction.id, 2)).toBe('unsaved');
  });
});
