import type { OperatePageName } from '../operate/pages';
import { bytes } from './amounts';

const format = new Intl.NumberFormat('en');
const money = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 4,
});
const number = (count: number): string => format.format(count);

export const operateText = {
  title: 'Operate',
  more: 'Show more',
  missing: 'This page needs the scope',
  missingHint: (scope: string) =>
    `Your key or token does not have it. Ask an admin of your tenant for one with the scope ${scope}, and sign in with that.`,
  pages: {
    rules: 'Rules',
    tools: 'Tools',
    agents: 'Agents',
    models: 'Models',
    runs: 'Runs',
    usage: 'Usage',
    keys: 'Keys',
    audit: 'Audit',
    health: 'Health',
    connect: 'Connect',
  } satisfies Record<OperatePageName, string>,
  hints: {
    rules: 'Which calls of tools run, are refused, or ask a person.',
    tools: 'What agents can call, and the servers that other tools come from.',
    agents: 'The kinds of agents that can be started.',
    models: 'The models that the configuration and agents name, with what is known of them.',
    runs: 'What runs, waits or is queued in chats of all users. Chats that you do not see have no title here.',
    usage: 'Tokens and cost of what was started on these days, deleted chats included.',
    keys: 'API keys of this tenant. A key’s secret is shown once, when it is made.',
    audit: 'Who did what. Entries stay when their chat is deleted.',
    health: 'What the server depends on, and what to do about it.',
    connect: 'How your programs, and those of others, reach this server.',
  } satisfies Record<OperatePageName, string>,
};

export const connectText = {
  noKey: 'This server asks for no key: any text will do where a client wants one.',
  needsKey: 'Replace YOUR_KEY with a key of this server, or with a token of its issuer.',
};

export const toolsText = {
  all: (count: number) => (count === 1 ? 'One tool' : `${number(count)} tools`),
  servers: 'Tool servers',
  noServers: 'No tool servers: MCP_CONFIG names none.',
  none: 'No tool of this name.',
  filter: 'Filter by name or category',
  name: 'Name',
  state: 'State',
  states: { ready: 'ready', connecting: 'connecting', unavailable: 'unavailable' } as const,
  tools: 'Tools',
  since: 'Since',
  problem: 'Problem',
  description: 'Description',
  category: 'Category',
  risk: 'Risk',
  risks: { low: 'low', medium: 'medium', high: 'high' } as const,
  recovery: 'After a crash',
  recoveries: {
    rerun: 'runs again',
    replay: 'goes on',
    report: 'is reported',
  } as const,
};

export const agentsText = {
  name: 'Name',
  description: 'Description',
  source: 'Source',
  code: 'code',
  model: 'Model',
  serverModel: 'as the server',
  iterations: 'Turns at most',
  none: 'No kinds of agents.',
  faults: 'Files with faults',
  more: 'Files in AGENTS_DIR add others.',
  faultsHidden: 'Faults of agent files are shown with the scope operate.',
};

export const modelsText = {
  name: 'Model',
  isDefault: 'default',
  isFallback: 'fallback',
  agents: 'Agents',
  context: 'Context window',
  images: 'Images',
  seesImages: 'sees them',
  input: 'Input',
  cached: 'Input from cache',
  output: 'Output',
  perMillion: 'Dollars are for a million tokens.',
  others: (providers: string) =>
    `Any other <provider>/<name> of these providers can be used too: ${providers}.`,
  hasMore: 'The prices name more models than are listed.',
  none: 'No models are known.',
  number,
  usd: (dollars: number) => money.format(dollars),
};

export const runsText = {
  count: (count: number, hasMore: boolean) => `${number(count)}${hasMore ? ' or more' : ''} active`,
  none: 'Nothing runs.',
  chat: 'Chat',
  status: 'Status',
  agent: 'Agent',
  model: 'Model',
  user: 'User',
  since: 'Since',
  tokens: 'Tokens',
  number,
  cancelling: 'Cancelling…',
  cancelAll: 'Cancel all',
  cancelAllTitle: 'Cancel all that runs?',
  cancelAllHint:
    'Everything that runs, waits or is queued in this tenant is stopped, of all users.',
};

export const usageText = {
  by: 'By',
  kinds: { day: 'day', model: 'model', user: 'user' } as const,
  span: 'Of the last',
  days: (count: number) => `${count} days`,
  heads: { day: 'Day', model: 'Model', user: 'User' } as const,
  interactions: 'Messages',
  input: 'Tokens in',
  cached: 'Of these cached',
  output: 'Tokens out',
  cost: 'Cost',
  share: 'Share',
  noPrices: 'no prices set',
  none: 'Nothing was started in this time.',
  hasMore: 'There are more rows than these.',
  number,
  usd: (dollars: number) => money.format(dollars),
};

export const quotasText = {
  title: 'Quotas of this tenant',
  QUOTA_RUNS: {
    name: 'Running or queued at once',
    limit: (limit: number) => `at most ${number(limit)}`,
  },
  QUOTA_STARTS_PER_MINUTE: {
    name: 'Starts in a minute',
    limit: (limit: number) => `at most ${number(limit)}`,
  },
  QUOTA_TOKENS_PER_DAY: {
    name: 'Tokens today (UTC)',
    limit: (limit: number, used: number) => `${number(used)} of ${number(limit)}`,
  },
  QUOTA_BYTES: {
    name: 'Chats and files',
    limit: (limit: number, used: number) => `${bytes(used)} of ${bytes(limit)}`,
  },
  usedUp: 'used up: nothing can start',
};

export const keysText = {
  list: 'API keys',
  none: 'No keys yet.',
  create: 'Create a key',
  createHint: 'It acts as this user, with these scopes.',
  created: 'Created',
  once: 'Copy it now: it is not shown again.',
  done: 'I have copied it',
  id: 'Id',
  user: 'User',
  scopes: 'Scopes',
  scopeHints: {
    chat: 'start, read, edit, cancel',
    decide: 'approve, answer, steer',
    operate: 'health, usage, stop runs of others',
    admin: 'keys, rules for everyone, audit',
  } as const,
  by: 'Made by',
  expires: 'Expires',
  never: 'never',
  deleteTitle: 'Delete this key?',
  deleteHint: (user: string) =>
    `It stops working within seconds, and streams that use it end. It acts as ${user}.`,
};

export const auditText = {
  at: 'When',
  user: 'Who',
  action: 'What',
  chat: 'Chat',
  detail: 'Details',
  none: 'Nothing was done yet.',
  actions: {
    'approval.approved': 'approved a call',
    'approval.rejected': 'rejected a call',
    'request.answered': 'answered a question',
    'tool_result.given': 'gave a tool’s result',
    'interaction.cancelled': 'cancelled',
    'interaction.changed': 'changed the queue',
    'interaction.retried': 'tried again',
    'agent.intervened': 'steered an agent',
    'rule.added': 'added a rule',
    'rule.removed': 'removed a rule',
    'key.created': 'made a key',
    'key.deleted': 'deleted a key',
    'chat.created': 'created a chat',
    'chat.updated': 'changed a chat',
    'chat.deleted': 'deleted a chat',
    'chat.exported': 'exported a chat',
    'chat.imported': 'imported a chat',
    'file.added': 'added a file',
    'file.deleted': 'deleted a file',
    'access.refused': 'was refused',
  } as Readonly<Record<string, string>>,
};

export const healthText = {
  server: 'Server',
  ok: 'ready',
  degraded: 'works with restrictions',
  notReady: 'not ready',
  unavailable: 'unavailable',
  since: 'since',
  sandbox: 'Sandbox of commands',
  sandboxes: { bubblewrap: 'on', none: 'off', missing: 'missing' } as const,
  sandboxAdvice:
    'Commands of agents run with the rights of the server. Install bubblewrap, or leave SANDBOX as it is by default.',
  toolServer: (name: string) => `Tool server ${name}`,
  states: { ready: 'ready', connecting: 'connecting', unavailable: 'unavailable' } as const,
  noDetails: 'The details need the scope operate.',
  address: 'Address:',
  adviceOn: (dependency: string): string => advice(dependency),
};

function advice(dependency: string): string {
  if (dependency.startsWith('tools of '))
    return 'Agents work without its tools. See the server’s log for its reason, and MCP_CONFIG for its command or address; it is tried again by itself.';
  switch (dependency) {
    case 'redis':
      return 'Streams of other processes are late by some seconds until it is back. Check REDIS_URL and that Redis runs.';
    case 'token issuer':
      return 'Known keys are accepted for a day. Check JWT_JWKS_URL, and that this machine reaches it.';
    case 'webhook receiver':
      return 'Webhooks are kept and sent again. Check WEBHOOK_URL and the receiver’s log.';
    case 'database':
      return 'Nothing can be saved until it answers. Check DATABASE_URL, that the database runs, and its free space.';
    default:
      return 'See the server’s log for the reason.';
  }
}
