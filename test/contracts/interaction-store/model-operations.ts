import fc from 'fast-check';

export const CHATS = 2;

/**
 * Which interaction of a chat: the one that holds it, one that waits, or any; `nth` counts from the
 * newest.
 */
export interface Target {
  readonly chat: number;
  readonly which: 'active' | 'queued' | 'any';
  readonly nth: number;
}

export type Operation =
  | {
      readonly kind: 'start';
      readonly chat: number;
      readonly leased: boolean;
      readonly on_conflict: 'reject' | 'enqueue' | 'interrupt';
      readonly key: string | null;
      /** Counts from the newest. */
      readonly edited: number | null;
    }
  | {
      readonly kind: 'append';
      readonly chat: number;
      readonly stale: boolean;
      readonly texts: readonly string[];
      /** The steps that ask something. */
      readonly asks: readonly string[];
    }
  | {
      readonly kind: 'settle';
      readonly chat: number;
      readonly nth: number;
      readonly by: 'user' | 'timeout';
      readonly approval: boolean;
    }
  | { readonly kind: 'park'; readonly chat: number; readonly late: boolean }
  | {
      readonly kind: 'repeat' | 'end' | 'acquire' | 'release' | 'cancel' | 'switch';
      readonly target: Target;
    }
  | { readonly kind: 'promote' | 'delete'; readonly chat: number }
  | { readonly kind: 'restart' };

const chat = fc.nat(CHATS - 1);
const nth = fc.nat(5);
const text = fc.string({ unit: 'binary', maxLength: 20 });
const target: fc.Arbitrary<Target> = fc.record({
  chat,
  which: fc.constantFrom('active', 'active', 'queued', 'any'),
  nth,
});

const start = fc.record({
  kind: fc.constant('start' as const),
  chat,
  leased: fc.boolean(),
  on_conflict: fc.constantFrom('reject', 'reject', 'enqueue', 'interrupt'),
  key: fc.option(fc.constantFrom('k1', 'k2', 'k3', 'k4'), { freq: 1 }),
  edited: fc.option(nth, { freq: 1 }),
});

const append = fc.record({
  kind: fc.constant('append' as const),
  chat,
  stale: fc.constantFrom(false, false, false, true),
  texts: fc.array(text, { minLength: 1, maxLength: 4 }),
  asks: fc.array(fc.constantFrom('root/1', 'root/2', 'root/3'), { maxLength: 2 }),
});

const settle = fc.record({
  kind: fc.constant('settle' as const),
  chat,
  nth,
  by: fc.constantFrom('user', 'user', 'timeout'),
  approval: fc.constantFrom(false, false, false, true),
});

const OFTEN = ['end', 'end', 'switch'] as const;

const touch = fc.record({
  kind: fc.constantFrom(...OFTEN, ...OFTEN, 'repeat', 'acquire', 'release', 'cancel'),
  target,
});

export const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: start },
  { weight: 6, arbitrary: append },
  { weight: 6, arbitrary: settle },
  { weight: 16, arbitrary: touch },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('park' as const), chat, late: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('promote', 'promote', 'delete'), chat }),
  },
  // A database takes its time for it.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);
