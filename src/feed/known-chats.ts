import type { KnownChat } from './change-details.js';

/** Beyond that, the one is forgotten that has not changed for the longest time. */
const MAX_KNOWN = 50_000;

/** The last known states of chats; those that changed last are at the end. */
export class Known {
  private readonly chats = new Map<string, KnownChat>();

  find(uid: string): KnownChat | undefined {
    return this.chats.get(uid);
  }

  uids(): Iterable<string> {
    return this.chats.keys();
  }

  set(uid: string, chat: KnownChat, isNeeded: (uid: string) => boolean): void {
    this.chats.delete(uid);
    this.chats.set(uid, chat);
    if (this.chats.size <= MAX_KNOWN) return;
    for (const each of this.chats.keys()) if (!isNeeded(each)) return void this.chats.delete(each);
  }

  forget(uid: string): void {
    this.chats.delete(uid);
  }

  forgetTenant(tenantId: string, isNeeded: (uid: string) => boolean): void {
    for (const [uid, { state }] of this.chats)
      if (state.tenant_id === tenantId && !isNeeded(uid)) this.chats.delete(uid);
  }
}
