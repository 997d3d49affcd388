import { ParleyError } from 'parley/client';
import type { ReactNode } from 'react';
import { common } from '../strings/common';
import css from './ui.module.css';

/** A failure in the server's words, which say how to fix it. */
export function Fault({ error, children }: { error: unknown; children?: ReactNode }) {
  return (
    <div className={css['fault']} role="alert">
      <span>{faultText(error)}</span>
      {children}
    </div>
  );
}

export function faultText(error: unknown): string {
  if (!(error instanceof ParleyError))
    return error instanceof Error ? error.message : String(error);
  if (error.code === 'unreachable') return common.unreachable;
  const fields = error.errors.map(({ field, message }) => `${field}: ${message}`);
  return [error.detail, ...fields].join(' ');
}
