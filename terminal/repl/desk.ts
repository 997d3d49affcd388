import type { RequestState } from '../../client/index.js';
import type { Connected } from '../connection/connect.js';
import type { Line } from '../render/span.js';
import type { View } from '../render/theme.js';
import type { Draft } from '../screen/editor.js';
import type { History } from '../screen/history.js';
import type { Background } from './background.js';
import type { Mode } from './mode.js';
import type { Session } from './session.js';

/** The state of the conversation at the terminal, for what keys and commands do with it. */
export interface Desk {
  readonly client: Connected['client'];
  readonly session: Session;
  readonly background: Background;
  readonly history: History;
  readonly view: View;
  /** The terminal takes whole lines, and echoes them itself. */
  readonly isDumb: boolean;
  /** False: the request has only just come, so that it can't have been read. */
  readonly isRead: boolean;
  mode: Mode;
  draft: Draft;
  /** The rule that was remembered last. */
  lastRule: string | undefined;
  /** While several agents work, the footer says what each does. */
  showsTree: boolean;
  /** Stops a message that is on its way, as long as nothing but its files was sent. */
  sending: AbortController | undefined;

  print(lines: readonly Line[]): void;
  /** A remark of the terminal's own. */
  say(text: string, sgr?: string): void;
  /** A short message above the input, until the next key. */
  setHint(text: string): void;
  setMode(mode: Mode, draft?: Draft): void;
  /** Resolves when something has happened. */
  nextChange(): Promise<void>;
  /** Looks at a request later. */
  skip(request: RequestState): void;
  /** Runs what a key has asked for; a failure is told. True if there was none. */
  attempt(action: () => unknown): Promise<boolean>;
  /** The text as a person leaves it in their editor; undefined if that failed. */
  inEditor(name: string, text: string): Promise<string | undefined>;
  /** Shows lines in the person's pager, where all of them can be reached. */
  inPager(name: string, lines: readonly Line[]): Promise<void>;
  /** Goes on to another chat. */
  switchTo(chatId: string): Promise<void>;
  startNew(): void;
  quit(code?: number): void;
}
