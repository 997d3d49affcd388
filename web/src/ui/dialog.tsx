import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import css from './ui.module.css';

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: string;
  readonly children: ReactNode;
}

export function Dialog({ isOpen, onClose, title, description, children }: DialogProps) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={css['overlay']} />
        <Radix.Content
          className={css['dialog']}
          {...(description === undefined && { 'aria-describedby': undefined })}
        >
          <Radix.Title>{title}</Radix.Title>
          {description !== undefined && <Radix.Description>{description}</Radix.Description>}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={css['actions']}>{children}</div>;
}
