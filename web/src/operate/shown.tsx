import { ParleyError } from 'parley/client';
import { KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { common } from '../strings/common';
import { operateText as text } from '../strings/operate';
import { Fault } from '../ui/fault';
import css from './operate.module.css';

interface ShownProps<T> {
  readonly of: { readonly value: T | undefined; readonly error: unknown };
  readonly onRetry: () => void;
  readonly children: (value: T) => ReactNode;
}

/** The data; before, that it is being read; else the right that is missing, or the failure. */
export function Shown<T>({ of: { value, error }, onRetry, children }: ShownProps<T>) {
  const scope = missingScope(error);
  if (scope !== undefined) return <MissingScope scope={scope} />;
  return (
    <>
      {error !== undefined && <Fault error={error} onRetry={onRetry} />}
      {value !== undefined
        ? children(value)
        : error === undefined && <p className={css['note']}>{common.loading}</p>}
    </>
  );
}

/** The scope that a credential would need; undefined for any other error. */
function missingScope(error: unknown): string | undefined {
  if (!(error instanceof ParleyError) || error.code !== 'missing_scope') return undefined;
  const scope = error.problem?.['scope'];
  return typeof scope === 'string' ? scope : '';
}

function MissingScope({ scope }: { scope: string }) {
  return (
    <div className={css['missing']} role="alert" data-testid="missing-scope">
      <KeyRound size={20} aria-hidden />
      <h2>
        {text.missing} <code>{scope}</code>
      </h2>
      <p>{text.missingHint(scope)}</p>
    </div>
  );
}
