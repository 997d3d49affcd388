import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import type { Target } from '../target';
import css from './agent-items.module.css';

/** The place of a record; `target` if it is the one that the address names. */
export function ItemFrame({ target, children }: { target: Target | null; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (target) frame.current?.scrollIntoView({ block: 'center' });
  }, [target]);
  return (
    <div ref={frame} className={css['frame']} aria-current={target !== null || undefined}>
      {children}
    </div>
  );
}
