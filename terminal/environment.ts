import { homedir } from 'node:os';
import { join } from 'node:path';

type Variables = Readonly<Record<string, string | undefined>>;

/** The variables of the process that the terminal reads. Nothing else of it reads them. */
export interface Environment {
  readonly url: string | undefined;
  readonly key: string | undefined;
  readonly editor: string;
  readonly pager: string;
  readonly hasColor: boolean;
  readonly isDumb: boolean;
  readonly isUnicode: boolean;
  /** For history and logs; nothing in it is a secret. */
  readonly stateFolder: string;
  /** For the chats of a server that the terminal starts. */
  readonly dataFolder: string;
  /** Given to a server that is started. */
  readonly variables: Variables;
}

export function readEnvironment(variables: Variables = process.env): Environment {
  const { PARLEY_URL, PARLEY_KEY, VISUAL, EDITOR, PAGER, NO_COLOR, TERM } = variables;
  const isDumb = TERM === 'dumb';
  return {
    url: PARLEY_URL || undefined,
    key: PARLEY_KEY || undefined,
    editor: VISUAL || EDITOR || 'vi',
    pager: PAGER || 'less',
    hasColor: !NO_COLOR && !isDumb,
    isDumb,
    isUnicode: isUtf8(variables),
    stateFolder: folderOf(variables.XDG_STATE_HOME, '.local/state'),
    dataFolder: folderOf(variables.XDG_DATA_HOME, '.local/share'),
    variables,
  };
}

function folderOf(given: string | undefined, standard: string): string {
  return join(given?.startsWith('/') ? given : join(homedir(), standard), 'parley');
}

function isUtf8({ LC_ALL, LC_CTYPE, LANG }: Variables): boolean {
  if (process.platform === 'win32') return true;
  return /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
}
