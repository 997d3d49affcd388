import { useEffect, useRef } from 'react';
import { changeAddress } from '../routes/address';
import { Store, useStore } from '../ui/store';
import type { Turn } from './turns';

/** The record that the address names: `#<interaction>/<seq>`. */
export interface Target {
  readonly interaction_id: string;
  /** null: the whole turn. */
  readonly seq: number | null;
}

/** Browsers refuse addresses that change more often, in milliseconds. */
const WRITE_MS = 150;

/** Target that the address has, or will have a moment later. */
const target = new Store<Target | null>(readTarget(location.hash));
/** An address that will be written. */
let pending: { readonly timer: ReturnType<typeof setTimeout>; readonly path: string } | undefined;

for (const event of ['hashchange', 'popstate', 'pushState', 'replaceState'])
  addEventListener(event, () => {
    if (pending?.path === location.pathname) return;
    clearTimeout(pending?.timer);
    pending = undefined;
    const next = readTarget(location.hash);
    if (!isSame(next, target.get())) target.set(next);
  });

function readTarget(hash: string): Target | null {
  const [, interaction_id, seq] = /^#(int_[\w-]+)(?:\/(\d+))?$/.exec(hash) ?? [];
  if (interaction_id === undefined) return null;
  return { interaction_id, seq: seq === undefined ? null : Number(seq) };
}

/** Shows another record, at once, and soon says so in the address. */
export function goToTarget(next: Target | null): void {
  target.set(next);
  clearTimeout(pending?.timer);
  const timer = setTimeout(() => {
    pending = undefined;
    changeAddress({ hash: hashOf(target.get()) });
  }, WRITE_MS);
  pending = { timer, path: location.pathname };
}

export function useTargetOf(): Target | null {
  return useStore(target);
}

/** If the address names this turn: a component renders again only when that changes. */
export function useTargetIn(interactionId: string): Target | null {
  return useStore(target, (it) => (it?.interaction_id === interactionId ? it : null));
}

/** Calls back once when the turn that the address names is there. */
export function useTarget(turns: readonly Turn[], onFound: (index: number) => void): void {
  const named = useTargetOf();
  const found = useRef<Target>(undefined);
  useEffect(() => {
    if (!named || found.current === named) return;
    const index = turns.findIndex(({ id }) => id === named.interaction_id);
    if (index < 0) return;
    found.current = named;
    onFound(index);
  });
}

/** The address of a record, for people to pass on. */
export function linkTo(interactionId: string, seq: number | null): string {
  return `${location.href.split('#', 1)[0]}${hashOf({ interaction_id: interactionId, seq })}`;
}

function hashOf(named: Target | null): string {
  if (!named) return '';
  return `#${named.interaction_id}${named.seq === null ? '' : `/${named.seq}`}`;
}

function isSame(a: Target | null, b: Target | null): boolean {
  return a?.interaction_id === b?.interaction_id && a?.seq === b?.seq;
}
