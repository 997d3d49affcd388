export const panelText = {
  label: 'Agents, tasks and log',
  close: 'Close',
  turn: 'Message',
  noTurn: 'Nothing has been said in this chat yet.',
  tabs: {
    agents: 'Agents',
    tasks: 'Tasks',
    timeline: 'Timeline',
    log: 'Log',
    files: 'Files',
  } as const,
};
