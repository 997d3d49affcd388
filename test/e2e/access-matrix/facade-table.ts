import type { Operation } from '../operations.js';
import type { Row } from './table.js';

const RESPONSE = { response_id: ['response', 404] } as const;
const AG_UI_RUN = { runId: 'run', messages: [{ id: 'u1', role: 'user', content: 'Hi' }] };
const THREAD = { thread_id: ['chat', 404] } as const;
const RUN = { ...THREAD, run_id: ['interaction', 404] } as const;
const ASKED = { assistant_id: 'react', input: { messages: [{ role: 'user', content: 'Hi' }] } };
const AGENT = { send: { agent: 'react' } } as const;
const TASK = { ids: { task_id: ['interaction', 404] }, ...AGENT } as const;
const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Hi' }] };
const CONFIGS = '/a2a/{agent}/tasks/{task_id}/pushNotificationConfigs';
const REFUSED = { send: { agent: 'react', task_id: 'x', id: 'x' }, always: 400, done: 400 };
const REJECTED = { send: { ...ASKED, multitask_strategy: 'reject' }, done: 422 };
const SAID = { model: 'react', input: 'Hi' };

/** As `TABLE`, of the façades, which are not in the OpenAPI document: others define them. */
export const FACADE_TABLE: Readonly<Record<string, readonly Row[]>> = {
  'public: get /.well-known/agent-card.json': [{}],
  'public: get /a2a/{agent}/.well-known/agent-card.json': [AGENT],
  // ids in bodies are nested: test/e2e/suites/a2a.ts
  'chat: post /a2a/{agent}': [
    { send: { agent: 'react', jsonrpc: '2.0', id: 1, method: 'ListTasks' } },
  ],
  'chat: post /a2a/{agent}/message:send': [{ send: { agent: 'react', message: MESSAGE } }],
  'chat: post /a2a/{agent}/message:stream': [{ send: { agent: 'react', message: MESSAGE } }],
  'chat: get /a2a/{agent}/tasks': [{ ids: { contextId: ['chat', 200] }, ...AGENT }, AGENT],
  'chat: get /a2a/{agent}/tasks/{task_id}': [TASK],
  // streams of tasks that wait end; strangers' are in test/e2e/suites/a2a.ts
  'chat: get /a2a/{agent}/tasks/{task_id}:subscribe': [
    { own: { task_id: 'interaction' }, ...AGENT },
  ],
  'chat: post /a2a/{agent}/tasks/{task_id}:subscribe': [
    { own: { task_id: 'interaction' }, ...AGENT },
  ],
  'chat: post /a2a/{agent}/tasks/{task_id}:cancel': [{ ...TASK, on: 'ended', done: 400 }],
  'chat: get /a2a/{agent}/extendedAgentCard': [REFUSED],
  [`chat: get ${CONFIGS}`]: [REFUSED],
  [`chat: get ${CONFIGS}/{id}`]: [REFUSED],
  [`chat: post ${CONFIGS}`]: [REFUSED],
  [`chat: delete ${CONFIGS}/{id}`]: [REFUSED],
  'chat: get /ai-sdk/chat/{chat_id}/stream': [
    { ids: { chat_id: ['chat', 204] }, on: 'ended', send: { v: '7' } },
  ],
  'chat: post /ai-sdk/chat': [
    {
      ids: { id: ['chat', 200] },
      send: { messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] },
      taken: 404,
    },
  ],
  'chat: get /mcp': [{ ids: { 'Last-Event-ID': ['mcp_event', 404] }, on: 'ended', varies: true }],
  'chat: post /mcp': [
    {
      send: {
        ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
        params: { protocolVersion: '2025-11-25', capabilities: {} },
      },
      varies: true,
    },
  ],
  'chat: delete /mcp': [{ ids: { 'Mcp-Session-Id': ['mcp_session', 404] }, done: 404 }],
  'chat: post /ag-ui/{agent}': [
    { ids: { threadId: ['chat', 200] }, send: { agent: 'react', ...AG_UI_RUN }, taken: 404 },
  ],
  'chat: get /copilotkit/info': [{}],
  // ids in bodies are nested: test/e2e/suites/ag-ui.ts
  'chat: post /copilotkit': [{ send: { method: 'info' } }],
  'chat: post /copilotkit/agent/{agent}/run': [
    { ids: { threadId: ['chat', 200] }, send: { agent: 'react', ...AG_UI_RUN }, taken: 404 },
  ],
  'chat: post /copilotkit/agent/{agent}/connect': [
    { ids: { threadId: ['chat', 200] }, on: 'ended', send: { agent: 'react', ...AG_UI_RUN } },
  ],
  'chat: post /copilotkit/agent/{agent}/stop/{thread_id}': [
    { ids: { thread_id: ['chat', 200] }, send: { agent: 'react', runId: 'run' }, taken: 200 },
  ],
  'chat: post /v1/chat/completions': [
    { send: { model: 'react', messages: [{ role: 'user', content: 'Hi' }] } },
  ],
  'chat: post /v1/responses': [
    { ids: { previous_response_id: ['response', 404] }, on: 'ended', send: SAID, done: 409 },
    { ids: { conversation: ['chat', 200] }, send: SAID, taken: 404 },
  ],
  'chat: get /v1/responses/{response_id}': [{ ids: RESPONSE }],
  'chat: get /v1/responses/{response_id}/input_items': [{ ids: RESPONSE }],
  'chat: post /v1/responses/{response_id}/cancel': [{ ids: RESPONSE, on: 'ended', done: 409 }],
  'chat: delete /v1/responses/{response_id}': [{ ids: RESPONSE, done: 422 }],
  'public: get /langgraph/ok': [{}],
  'public: get /langgraph/info': [{}],
  'chat: post /langgraph/assistants/search': [{ send: { limit: 1 } }],
  'chat: get /langgraph/assistants/{assistant_id}': [{ send: { assistant_id: 'react' } }],
  'chat: post /langgraph/threads': [
    { ids: { thread_id: ['chat', 200] }, send: { if_exists: 'do_nothing' }, taken: 404 },
  ],
  'chat: post /langgraph/threads/search': [{ send: { limit: 1 } }],
  'chat: get /langgraph/threads/{thread_id}': [{ ids: THREAD }],
  'chat: patch /langgraph/threads/{thread_id}': [{ ids: THREAD, send: { metadata: {} } }],
  'chat: get /langgraph/threads/{thread_id}/state': [{ ids: THREAD }],
  'chat: get /langgraph/threads/{thread_id}/state/{checkpoint_id}': [
    { ids: { ...THREAD, checkpoint_id: ['interaction', 404] } },
  ],
  'chat: post /langgraph/threads/{thread_id}/state/checkpoint': [
    { ids: THREAD, send: { checkpoint: { checkpoint_id: 'start' } } },
  ],
  'chat: post /langgraph/threads/{thread_id}/history': [{ ids: THREAD, send: { limit: 10 } }],
  'chat: get /langgraph/threads/{thread_id}/runs': [{ ids: THREAD }],
  'chat: get /langgraph/threads/{thread_id}/runs/{run_id}': [{ ids: RUN }],
  'chat: get /langgraph/threads/{thread_id}/runs/{run_id}/join': [{ ids: RUN, on: 'ended' }],
  'chat: get /langgraph/threads/{thread_id}/runs/{run_id}/stream': [{ ids: RUN, on: 'ended' }],
  'chat: get /langgraph/runs/{run_id}/stream': [
    { ids: { run_id: ['interaction', 404] }, on: 'ended' },
  ],
  'chat: post /langgraph/threads/{thread_id}/runs/{run_id}/cancel': [{ ids: RUN, on: 'ended' }],
  'chat: post /langgraph/threads/{thread_id}/runs/stream': [{ ids: THREAD, ...REJECTED }],
  'chat: post /langgraph/threads/{thread_id}/runs/wait': [{ ids: THREAD, ...REJECTED }],
  'chat: post /langgraph/threads/{thread_id}/runs': [{ ids: THREAD, ...REJECTED }],
  'chat: post /langgraph/runs/stream': [{ send: ASKED }],
  'chat: post /langgraph/runs/wait': [{ send: ASKED }],
  'chat: post /langgraph/runs': [{ send: ASKED }],
  'chat: post /langgraph/threads/{thread_id}/commands': [
    { ids: THREAD, send: { id: 1, method: 'state.get', params: {} } },
  ],
  'chat: post /langgraph/threads/{thread_id}/stream/events': [
    { ids: THREAD, send: { channels: ['lifecycle'] } },
  ],
  'chat: delete /langgraph/threads/{thread_id}': [{ ids: THREAD, on: 'running' }],
  // There is no endpoint for audio.
  'chat: post /v1/audio/transcriptions': [
    { form: true, send: { model: 'x', file: 'x' }, always: 415, done: 415 },
  ],
  'chat: post /v1/audio/speech': [{ send: { model: 'x', input: 'x' }, always: 503, done: 503 }],
  'chat: get /v1/models': [{}],
  'chat: get /v1/models/{id}': [{ send: { id: 'react' } }],
};

/**
 * The operations of the table. Parameters are in the path, in the query of a GET, or in the body.
 */
export function facadeOperations(): Operation[] {
  return Object.entries(FACADE_TABLE).map(([key, rows]) => {
    const [access = '', name = ''] = key.split(': ');
    const [method = '', path = ''] = name.split(' ');
    const given = rows.flatMap(({ ids, own, send }) => Object.keys({ ...ids, ...own, ...send }));
    const elsewhere = method === 'get' ? 'query' : 'body';
    return {
      ...{ name, path, method: method.toUpperCase(), security: undefined, responses: {} },
      access: access.split(' or ') as Operation['access'],
      parameters: [...new Set(given)].map((parameter) => ({
        name: parameter,
        in: path.includes(`{${parameter}}`) ? 'path' : inHeader(parameter) ? 'header' : elsewhere,
      })),
    };
  });
}

function inHeader(parameter: string): boolean {
  return parameter === 'Last-Event-ID' || parameter === 'Mcp-Session-Id';
}
