import { Reflector } from '@nestjs/core';
import type { ExecutionContext } from '@nestjs/common';
import { NeedsNoStore } from '../http/security/needs-no-store.js';
import type { StoreHealth } from '../event-log/store-health.js';
import { StoreGuard } from './store.guard.js';

class Chats {
  readonly needs = 'the store';
}

@NeedsNoStore()
class Health {
  readonly needs = 'nothing';
}

function ask(controller: object, unreachableSince?: Date): boolean {
  const watch = { name: 'database', unreachableSince } as StoreHealth;
  const context = { getClass: () => controller } as unknown as ExecutionContext;
  return new StoreGuard(watch, new Reflector()).canActivate(context);
}

describe(StoreGuard.name, () => {
  it('lets everybody through while the store answers', () => {
    expect(ask(Chats)).toBe(true);
  });

  it('sends away who needs a store that does not answer, without asking it', () => {
    expect(() => ask(Chats, new Date())).toThrow(
      expect.objectContaining({ kind: 'unavailable', code: 'store_unavailable' }),
    );
    expect(ask(Health, new Date())).toBe(true);
  });
});
