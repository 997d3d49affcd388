import { Component } from 'react';
import type { ReactNode } from 'react';
import { common } from '../strings/common';
import { Button } from '../ui/button';
import { Fault } from '../ui/fault';
import css from './app.module.css';

interface Props {
  readonly children: ReactNode;
  /** The address: another one is another page, which is tried. */
  readonly at?: string;
}

interface State {
  readonly error: unknown;
  /** Where it was. */
  readonly at: string | undefined;
}

/** A page that can't be drawn says so: its code may be of a server that was upgraded since. */
export class ErrorBoundary extends Component<Props, State> {
  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error };
  }

  static getDerivedStateFromProps({ at }: Props, state: State): State | null {
    return at === state.at ? null : { at, error: undefined };
  }

  override state: State = { error: undefined, at: this.props.at };

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className={css['broken']}>
        <Fault error={new Error(navigator.onLine ? common.broken : common.brokenOffline)} />
        <Button look="primary" onClick={() => location.reload()}>
          {common.reload}
        </Button>
      </div>
    );
  }
}
