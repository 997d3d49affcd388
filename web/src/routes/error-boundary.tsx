import { Component } from 'react';
import type { ReactNode } from 'react';
import { common } from '../strings/common';
import { Button } from '../ui/button';
import { Fault } from '../ui/fault';
import css from './app.module.css';

interface State {
  readonly error: unknown;
}

/** A page that can't be drawn says so: its code may be of a server that was upgraded since. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override state: State = { error: undefined };

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className={css['broken']}>
        <Fault error={new Error(common.broken)} />
        <Button look="primary" onClick={() => location.reload()}>
          {common.reload}
        </Button>
      </div>
    );
  }
}
