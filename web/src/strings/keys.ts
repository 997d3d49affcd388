const MODIFIER = /Mac|iP/.test(navigator.platform) ? '⌘' : 'Ctrl';
const NAMES: Readonly<Record<string, string>> = {
  ...{ mod: MODIFIER, Shift: 'Shift' },
  ...{ ArrowUp: '↑', ArrowLeft: '←', ArrowRight: '→', ' ': 'Space' },
  ...{ Home: 'Home', End: 'End', Enter: 'Enter', Escape: 'Esc' },
};

export const keyText = {
  title: 'Keys that work here',
  hint: 'Single letters work while you are not typing.',
  groups: {
    decide: 'Decisions',
    everywhere: 'Everywhere',
    message: 'Message',
    board: 'Task board',
  } as const,
  list: 'Show this list',
  palette: 'Go to a chat or a page, or do something',
  approve: 'Approve',
  edit: 'Change the input, or answer',
  reject: 'Reject: to the reason, Enter rejects',
  nextCard: 'Next one that waits',
  previousCard: 'Previous one that waits',
  toCard: 'From an empty message: to the one that waits',
  send: 'Send',
  newLine: 'New line',
  editLast: 'From an empty message: edit the last one',
  steer: 'Tell it now',
  queue: 'Queue for later',
  stop: 'Stop',
  pickUp: 'Pick up a task, and put it down',
  columnBefore: 'Move it to the column before',
  columnAfter: 'Move it to the column after',
  leave: 'Leave it where it was',
  nameOf: (key: string): string =>
    key
      .split('+')
      .map((part) => NAMES[part] ?? part.toUpperCase())
      .join('+'),
};

export const paletteText = {
  label: 'Go to a chat or a page, or do something',
  placeholder: 'Chat, page or action',
  nothing: 'Nothing of this name.',
  groups: { page: 'Pages', chat: 'Chats', action: 'Actions', here: 'This chat' } as const,
  newChat: 'New chat',
  inbox: 'Inbox',
  keys: 'Keys that work here',
  light: 'Appearance: light',
  dark: 'Appearance: dark',
  system: 'Appearance: like the system',
  sidebar: 'Show or hide the list of chats',
  tabs: {
    agents: 'Show agents',
    tasks: 'Show tasks',
    timeline: 'Show the timeline',
    log: 'Show the log',
    files: 'Show files',
  } as const,
  board: 'Show the task board on a page of its own',
  copyLink: 'Copy the link to this chat',
  stop: 'Stop what runs in this chat',
  export: 'Export the session log',
  rename: 'Rename this chat',
  delete: 'Delete this chat',
  signOut: 'Sign out',
};
