import type { InteractionStore } from '../../persistence/interaction.store.js';
import type { RecordStore } from '../../persistence/record.store.js';
import { KnownFiles } from './known-files.js';

/** A log in which nothing was seen. */
const nothing = {
  listInteractions: () => Promise.resolve([]),
} as unknown as InteractionStore & RecordStore;

const a = (hash: string) => ({ path: 'a.txt', hash });

describe(KnownFiles.name, () => {
  it('tells what one chat has seen from what another has', async () => {
    const known = new KnownFiles(nothing, nothing);
    known.remember('one', a('1'));
    known.remember('two', a('2'));
    const states = ['1', '2'].flatMap((hash) =>
      ['one', 'two', 'three'].map((chat) => known.compare(chat, a(hash))),
    );
    expect(await Promise.all(states)).toEqual([
      ...['same', 'changed', 'unseen'],
      ...['changed', 'same', 'unseen'],
    ]);
  });

  it('remembers so many files of so many chats, and those that were used last', async () => {
    const known = new KnownFiles(nothing, nothing);
    known.remember('used', a('1'));
    known.remember('unused', a('1'));
    for (let n = 0; n < 999; n++) {
      known.remember(`chat ${n}`, a('1'));
      known.remember('used', { path: `${n}`, hash: '1' });
      known.remember('used', a('1'));
    }
    expect(await known.compare('unused', a('1'))).toBe('unseen');
    expect(await known.compare('used', a('1'))).toBe('same');
    known.remember('used', { path: 'one more', hash: '1' });
    expect(await known.compare('used', { path: '0', hash: '1' })).toBe('unseen');
  });

  it('takes the last of what the log has, from the latest interaction on', async () => {
    const results: Readonly<Record<string, readonly unknown[]>> = {
      newest: [null, { seen: { path: 'b.txt', hash: '9' } }],
      newer: [{ seen: a('2') }, { seen: a('3') }, {}],
      oldest: [{ seen: a('1') }],
    };
    const log = {
      listInteractions: () => Promise.resolve(Object.keys(results).map((id) => ({ id }))),
      readRecordsOfTypes: ([id]: readonly string[]) =>
        Promise.resolve(results[id!]!.map((hidden) => ({ hidden }))),
    } as unknown as InteractionStore & RecordStore;
    const known = new KnownFiles(log, log);
    const states = ['1', '2', '3'].map((hash) => known.compare('chat', a(hash)));
    expect(await Promise.all(states)).toEqual(['changed', 'changed', 'same']);
    known.remember('chat', a('4'));
    expect(await known.compare('chat', a('4'))).toBe('same');
    expect(await known.compare('chat', a('3'))).toBe('same');
  });
});
