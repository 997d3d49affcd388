import type { Server } from './server';

/** How one kind of client is pointed at the server. */
export interface ConnectEntry {
  readonly name: string;
  /** The name in FACADES; left out: it is always there. */
  readonly facade?: string;
  readonly hint: string;
  readonly language: string;
  readonly code: (server: Server) => string;
}

export const ENTRIES: readonly ConnectEntry[] = [
  {
    name: 'curl',
    hint: 'Events of the server’s own API, until the answer is complete.',
    language: 'bash',
    code: ({ url, key }) => `curl -N ${url}/chats/my-chat/interactions \\
  -H 'authorization: Bearer ${key}' \\
  -H 'content-type: application/json' \\
  -d '{"user_message":"What is 6*7?"}'`,
  },
  {
    name: 'Terminal',
    hint: 'The client for terminals.',
    language: 'bash',
    code: ({ url, key }) => `PARLEY_KEY='${key}' parley --url ${url}`,
  },
  {
    name: 'TypeScript',
    hint: 'The client of the server’s own API: types for every route and event, streams that survive lost connections.',
    language: 'ts',
    code: ({ url, key }) => `import { createClient } from 'parley/client';

const client = createClient({ url: '${url}', key: '${key}' });
for await (const event of client.start('my-chat', { user_message: 'What is 6*7?' }))
  if (event.type === 'TEXT_DELTA') console.log(event.delta);`,
  },
  {
    name: 'OpenAI, TypeScript',
    facade: 'openai',
    hint: 'Agents are the models.',
    language: 'ts',
    code: ({ url, key }) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${url}/v1', apiKey: '${key}' });
const response = await client.responses.create({ model: 'react', input: 'What is 6*7?' });
console.log(response.output_text);`,
  },
  {
    name: 'OpenAI, Python',
    facade: 'openai',
    hint: 'Agents are the models.',
    language: 'python',
    code: ({ url, key }) => `from openai import OpenAI

client = OpenAI(base_url="${url}/v1", api_key="${key}")
response = client.responses.create(model="react", input="What is 6*7?")
print(response.output_text)`,
  },
  {
    name: 'LiteLLM',
    facade: 'openai',
    hint: 'An entry of config.yaml. Other programs for OpenAI’s API take the same address and key.',
    language: 'yaml',
    code: ({ url, key }) => `model_list:
  - model_name: react
    litellm_params:
      model: openai/react
      api_base: ${url}/v1
      api_key: ${key}`,
  },
  {
    name: 'AI SDK',
    facade: 'ai-sdk',
    hint: 'useChat of versions 5, 6 and 7; v names the version of yours.',
    language: 'ts',
    code: ({ url, key }) => `import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls } from 'ai';
import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'; // not in 5

const chat = useChat({
  transport: new DefaultChatTransport({
    api: '${url}/ai-sdk/chat?v=7',
    headers: { authorization: 'Bearer ${key}' },
    body: { agent: 'react' },
  }),
  sendAutomaticallyWhen: (state) =>
    lastAssistantMessageIsCompleteWithApprovalResponses(state) ||
    lastAssistantMessageIsCompleteWithToolCalls(state),
});`,
  },
  {
    name: 'AG-UI',
    facade: 'ag-ui',
    hint: 'The last part of the address is the agent.',
    language: 'ts',
    code: ({ url, key }) => `import { HttpAgent } from '@ag-ui/client';

const agent = new HttpAgent({
  url: '${url}/ag-ui/react',
  headers: { authorization: 'Bearer ${key}' },
});
agent.addMessage({ id: 'u1', role: 'user', content: 'What is 6*7?' });
await agent.runAgent();
console.log(agent.messages, agent.pendingInterrupts);`,
  },
  {
    name: 'CopilotKit',
    facade: 'ag-ui',
    hint: 'No other runtime is needed.',
    language: 'tsx',
    code: ({
      url,
      key,
    }) => `<CopilotKit runtimeUrl="${url}/copilotkit" headers={{ authorization: 'Bearer ${key}' }}>
  <CopilotChat />
</CopilotKit>`,
  },
  {
    name: 'LangGraph',
    facade: 'langgraph',
    hint: 'Agents are the assistants.',
    language: 'ts',
    code: ({ url, key }) => `import { Client } from '@langchain/langgraph-sdk';

const client = new Client({
  apiUrl: '${url}/langgraph',
  defaultHeaders: { authorization: 'Bearer ${key}' },
});
const { thread_id } = await client.threads.create();
const input = { messages: [{ type: 'human', content: 'What is 6*7?' }] };
for await (const chunk of client.runs.stream(thread_id, 'react', {
  input,
  streamMode: ['values', 'messages-tuple'],
}))
  console.log(chunk.event, chunk.data);`,
  },
  {
    name: 'MCP',
    facade: 'mcp',
    hint: 'An entry of a host’s mcp.json. Each agent is a tool.',
    language: 'json',
    code: ({ url, key }) =>
      JSON.stringify(
        {
          mcpServers: {
            parley: {
              type: 'http',
              url: `${url}/mcp`,
              headers: { Authorization: `Bearer ${key}` },
            },
          },
        },
        null,
        2,
      ),
  },
  {
    name: 'A2A',
    facade: 'a2a',
    hint: 'Each agent has a card of its own; that of the default agent is also at the server’s root.',
    language: 'js',
    code: ({ url, key }) => `import { Role } from '@a2a-js/sdk';
import * as a2a from '@a2a-js/sdk/client';

const fetchImpl = a2a.createAuthenticatingFetchWithRetry(fetch, {
  headers: async () => ({ authorization: 'Bearer ${key}' }),
  shouldRetryWithHeaders: async () => undefined,
});
const options = a2a.ClientFactoryOptions.createFrom(a2a.ClientFactoryOptions.default, {
  transports: [new a2a.JsonRpcTransportFactory({ fetchImpl })],
  cardResolver: new a2a.DefaultAgentCardResolver({ fetchImpl }),
});
const card = '/a2a/react/.well-known/agent-card.json';
const client = await new a2a.ClientFactory(options).createFromUrl('${url}', card);
const message = {
  messageId: crypto.randomUUID(),
  role: Role.ROLE_USER,
  parts: [{ content: { $case: 'text', value: 'What is 6*7?' } }],
};
for await (const update of client.sendMessageStream({ message })) console.log(update.payload);`,
  },
];
