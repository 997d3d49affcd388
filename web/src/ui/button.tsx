import type { ComponentProps } from 'react';
import { Tooltip } from './tooltip';
import css from './ui.module.css';

type Look = 'primary' | 'plain' | 'danger';

export function Button({ look, ...props }: ComponentProps<'button'> & { look?: Look }) {
  return <button type="button" data-look={look} {...props} className={css['button']} />;
}

/** A button that shows an icon, and says what it does. */
export function IconButton({
  label,
  keys,
  ...props
}: ComponentProps<'button'> & { label: string; keys?: string }) {
  return (
    <Tooltip text={label} keys={keys}>
      <button type="button" aria-label={label} {...props} className={css['icon']} />
    </Tooltip>
  );
}
