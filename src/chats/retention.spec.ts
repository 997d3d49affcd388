import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MovableClock } from '../../test/support/movable-clock.js';
import type { Config } from '../config/config.js';
import { chatNotFound } from '../access/not-found.js';
import type { ChatStore } from '../persistence/chat.store.js';
import type { ChatDeletion } from './chat-deletion.js';
import { Retention } from './retention.js';

describe(Retention.name, () => {
  it('warns of chats that it could not remove, and not of those that are gone meanwhile', async () => {
    const faults = { gone: chatNotFound('gone'), stuck: new Error('No.') };
    const removed: string[] = [];
    let done = (): void => {};
    const ended = new Promise<void>((resolve) => (done = resolve));
    const chats = { listUntouched: async () => ({ uids: ['gone', 'stuck', 'last'] }) };
    const service = {
      deleteUntouched: async (uid: string) => {
        if (uid in faults) throw faults[uid as keyof typeof faults];
        removed.push(uid);
        done();
        return true;
      },
    };
    const clock = new MovableClock();
    clock.skipsSleep = true;
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const retention = new Retention(
      chats as unknown as ChatStore,
      service as unknown as ChatDeletion,
      { retentionDays: 1 } as Config,
      clock,
    );
    retention.onApplicationBootstrap();
    await ended;
    await retention.onApplicationShutdown();
    expect(removed).toEqual(['last']);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('the chat stuck')]]);
    warn.mockRestore();
  });
});
