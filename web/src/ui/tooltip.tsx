import { Tooltip as Radix } from 'radix-ui';
import type { ReactElement } from 'react';
import css from './ui.module.css';

/** Names a control, and the keys that do the same. */
export function Tooltip(props: {
  text: string;
  keys?: string | undefined;
  children: ReactElement;
}) {
  const { text, keys, children } = props;
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={css['tooltip']} sideOffset={4} collisionPadding={8}>
          {text}
          {keys !== undefined && <kbd>{keys}</kbd>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
