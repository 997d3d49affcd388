import { useEffect, useRef } from 'react';
import { Store } from '../ui/store';

/** A key that does something while it is registered. */
export interface Key {
  /** Name from `KeyboardEvent.key`, or `mod+k`: Ctrl, on a Mac also ⌘. */
  readonly key: string;
  readonly label: string;
  readonly group: string;
  /** Also while a person types. */
  readonly isForFields?: boolean;
  /** False: the key does what it would do anyway. None: what has the focus takes the key itself. */
  readonly run?: (event: KeyboardEvent) => boolean | void;
}

/** Keys that work now; of those with the same name the last. */
export const keys = new Store<readonly Key[]>([]);

/** Registers keys while the component is there. Their names may not change. */
export function useKeys(list: readonly Key[]): void {
  const current = useRef(list);
  current.current = list;
  useEffect(() => {
    const own = current.current.map((each, at): Key => ({
      ...each,
      ...(each.run && { run: (event) => current.current[at]?.run?.(event) }),
    }));
    keys.set([...keys.get(), ...own]);
    return () => keys.set(keys.get().filter((each) => !own.includes(each)));
  }, []);
}
