const number = new Intl.NumberFormat('en');

export const text = {
  you: 'You',
  newChat: 'New chat',
  untitled: 'Untitled chat',
  table: 'Table',
  showMore: (left: number) => `Show ${number.format(left)} more`,
  showRest: (left: number) => `Show the next part (${number.format(left)} characters are left)`,
  loadingEarlier: 'Loading earlier messages…',
  thinking: 'Thinking',
  thought: 'Thought',
  thoughtFor: (seconds: number) => `Thought for ${seconds} s`,
  partial: 'Stopped here.',
  writing: 'Writing',
  preparing: 'Preparing a call…',
  running: 'running',
  done: 'done',
  failed: 'failed',
  lines: (count: number) => `${number.format(count)} ${count === 1 ? 'line' : 'lines'} more`,
  fewerLines: 'Fewer lines',
  noOutput: 'No output.',
  input: 'Input',
  output: 'Output',
  subAgent: 'Sub-agent',
  editMessage: 'Edit and send again',
  editHint: 'What follows stays on a branch of its own.',
  sendEdit: 'Send again',
  branch: (at: number, of: number) => `Version ${at} of ${of}`,
  earlierVersion: 'Earlier version',
  laterVersion: 'Later version',
  linkTo: 'Copy link',
  tokens: (input: number, output: number) =>
    `${number.format(input)} tokens in, ${number.format(output)} out`,
  cached: (count: number) => `${number.format(count)} from the cache`,
  cut: 'A part of this answer is not shown here as it is long. The log view has everything.',
  toEnd: 'To the end',
  seedOf: (role: string) => `Message of the ${role}`,
  earlierSteps: (count: number) => `${number.format(count)} earlier steps`,
  laterSteps: (count: number) => `${number.format(count)} later steps`,
  gone: 'This chat is not there',
  goneHint: 'It was deleted, or you may not see it.',
  backToChats: 'Start a new chat',
};

export const composerText = {
  label: 'Message',
  placeholder: 'Ask anything, or say what to do',
  placeholderBusy: 'Say something while it works',
  send: 'Send',
  steer: 'Tell it now',
  queue: 'Queue for later',
  stop: 'Stop',
  stopping: 'Stopping…',
  attach: 'Attach files',
  detach: (name: string) => `Remove ${name}`,
  dropHere: 'Drop files to attach them',
  options: 'Agent, model and approvals',
  hint: 'Enter sends · Shift+Enter: new line',
  hintBusy: (modifier: string) => `Enter tells it now · ${modifier}+Enter queues`,
  pendingNote: 'Will be read at its next step',
  unreadNote: 'It ended before it read this',
  sendNow: 'Send as a message',
  agent: 'Agent',
  model: 'Model',
  approvals: 'Approvals',
  more: 'Model, folder and budget',
  moreHint: 'For messages from now on. Empty: as the server says.',
  workspace: 'Folder that its agents work in',
  budgetCost: 'Most dollars of a message',
  budgetTokens: 'Most tokens of a message',
  serverDefault: 'As the server says',
  modes: {
    ask: ['Ask me', 'Calls that need approval wait for you'],
    auto: ['Allow', 'Nothing asks; rules that deny still do'],
    deny: ['Deny', 'Calls that would ask are refused'],
    defer: ['Ask later', 'The agent goes on; calls wait for you'],
  } as const,
  tooLarge: 'is attached as a file, as it is long',
};

export const queueText = {
  title: 'Queued',
  moveUp: 'Move up',
  moveDown: 'Move down',
  drop: 'Remove from the queue',
  empty: 'Remove all',
};

export const emptyText = {
  title: 'What shall we do?',
  examples: [
    {
      title: 'Approve a call',
      hint: 'It asks before it runs a command',
      prompt: 'run `echo "hello from $(uname -s)"`',
    },
    {
      title: 'Watch a sub-agent',
      hint: 'One agent gives work to another',
      prompt: 'call agent {"agent_type": "react", "prompt": "What is 6*7?"}',
    },
    {
      title: 'Plan on the board',
      hint: 'The agent writes tasks that you can move',
      prompt:
        'call todo {"tasks": [{"title": "Write the release notes"}, {"title": "Tell everyone"}]}',
    },
  ],
};

export const audioText = {
  dictate: {
    idle: 'Dictate: click, or hold while you speak',
    opening: 'Waiting for the microphone; click to give up',
    recording: 'Write down what was said',
    transcribing: 'Being written down; click to give up',
  },
  elapsed: (seconds: number) =>
    `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`,
  notAllowed: 'The browser does not allow the microphone here. Allow it beside the address.',
  noMicrophone: 'There is no microphone that the browser can use.',
  nothingHeard: 'Nothing was heard. Try again, closer to the microphone.',
  listen: {
    idle: 'Read aloud',
    waiting: 'Waiting for the voice; click to give up',
    reading: 'Stop reading',
  },
  talk: 'Talk: it hears you, and answers aloud',
  endTalk: 'End the talk',
  talkStates: {
    connecting: 'Connecting…',
    listening: 'Listening',
    hearing: 'Hearing you',
    answering: 'Thinking',
    speaking: 'Speaking; say something to interrupt it',
  },
  lost: 'The connection is lost, and the server does not answer. End the talk, and begin again.',
};
