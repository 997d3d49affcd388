import { VERSION } from '../../kernel/version.js';
import type { AgentModel } from '../base/agent-models.js';
import { invalidParams } from './errors.js';
import { SESSION_REVISIONS, STATELESS_REVISION } from './revision.js';

const SERVER_INFO = { name: 'parley', title: 'Parley', version: VERSION };
const ABOUT = {
  capabilities: { tools: {} },
  instructions:
    'Each tool is an agent that answers a message. To go on in a conversation, send the chat_id of its result.',
};
/** For so long clients may keep a list of tools, in milliseconds. */
const LIST_TTL_MS = 60_000;

/** In all results of the revision without sessions; others ignore it. */
export const COMPLETE = { resultType: 'complete' };
const CACHED = {
  ...COMPLETE,
  ...{ ttlMs: LIST_TTL_MS, cacheScope: 'private' },
  _meta: { 'io.modelcontextprotocol/serverInfo': SERVER_INFO },
};

/** The revision that the client asks for, or else the newest with sessions. */
export function initialized({ protocolVersion }: Readonly<Record<string, unknown>>): object {
  const revision = SESSION_REVISIONS.find((each) => each === protocolVersion);
  return {
    protocolVersion: revision ?? SESSION_REVISIONS[0],
    serverInfo: SERVER_INFO,
    ...ABOUT,
  };
}

export function discovered(): object {
  return { ...CACHED, supportedVersions: [STATELESS_REVISION], ...ABOUT };
}

/** All tools, on one page. @throws AppError `invalid_params` (400) for another page */
export function listed(
  agents: readonly AgentModel[],
  { cursor }: Readonly<Record<string, unknown>>,
  isStateless: boolean,
): object {
  if (cursor !== undefined) throw invalidParams('cursor', 'is of no page: there is one alone');
  return { ...(isStateless && CACHED), tools: agents.map((each) => toTool(each)) };
}

/** A failure as the result of a call: models read it. */
export function failedCall(text: string, named: object): object {
  return {
    ...COMPLETE,
    content: [{ type: 'text', text }],
    isError: true,
    _meta: { parley: named },
  };
}

/** The call goes on once its client sends the forms back, with the state. */
export function askingResult(inputRequests: object, requestState: string, named: object): object {
  return {
    resultType: 'input_required',
    ...{ inputRequests, requestState },
    _meta: { parley: named },
  };
}

const text = (description: string) => ({ type: 'string', description });

function toTool({ id: name, description }: AgentModel): object {
  const chat = 'The chat to go on in, of an earlier result. Without it a new one begins.';
  const chat_id = { ...text(chat), pattern: '^[A-Za-z0-9_-]{1,64}$' };
  return {
    ...{ name, description },
    inputSchema: {
      type: 'object',
      properties: { message: text('What to say to the agent.'), chat_id },
      required: ['message'],
    },
    outputSchema: {
      type: 'object',
      properties: {
        answer: text('Of the agent.'),
        chat_id: text('Where to go on.'),
        interaction_id: text('The work that made the answer.'),
      },
      required: ['answer', 'chat_id', 'interaction_id'],
    },
  };
}
