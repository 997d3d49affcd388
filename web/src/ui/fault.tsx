import { ParleyError } from 'parley/client';
import { common } from '../strings/common';
import { Button } from './button';
import css from './ui.module.css';

interface FaultProps {
  readonly error: unknown;
  /** Does again what has failed. */
  readonly onRetry?: (() => void) | undefined;
}

/** A failure in the server's words, which say how to fix it. */
export function Fault({ error, onRetry }: FaultProps) {
  return (
    <div className={css['fault']} role="alert">
      <span>{faultText(error)}</span>
      {onRetry && (
        <Button look="plain" onClick={onRetry}>
          {common.retry}
        </Button>
      )}
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
