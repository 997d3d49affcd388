import { useSyncExternalStore } from 'react';

/** A value that changes, and those who want to know. */
export class Store<T> {
  private readonly listeners = new Set<() => void>();

  constructor(private value: T) {}

  readonly get = (): T => this.value;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of this.listeners) listener();
  }
}

/** The value, or a part of it: a component renders again when the part is another one. */
export function useStore<T>(store: Store<T>): T;
export function useStore<T, P>(store: Store<T>, part: (value: T) => P): P;
export function useStore<T>(store: Store<T>, part: (value: T) => unknown = (it) => it): unknown {
  return useSyncExternalStore(store.subscribe, () => part(store.get()));
}
