import { Dialog as Radix } from 'radix-ui';
import { useRef } from 'react';
import type { ReactNode } from 'react';
import css from './ui.module.css';

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: string;
  /** It takes what room there is. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

export function Dialog({ isOpen, onClose, title, description, isWide, children }: DialogProps) {
  // Radix gives the focus back to a trigger of its own alone.
  const opener = useRef<Element>(null);
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={css['overlay']} />
        <Radix.Content
          className={css['dialog']}
          data-wide={isWide}
          onOpenAutoFocus={() => (opener.current = document.activeElement)}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (opener.current instanceof HTMLElement) opener.current.focus();
          }}
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
