import { interruptsIn, langGraphClient } from '../../clients/langgraph.js';
import type { Values } from '../../clients/langgraph.js';
import type { ApiClient } from '../../support/client/api-client.js';
import { keyOf } from './protocol-client.js';
import type { Protocol } from './protocol-client.js';

export const LANGGRAPH: Protocol = {
  name: 'LangGraph',
  connect: (api) => ({
    send: async (thread, content) => {
      const input = { messages: [{ type: 'human', content }] };
      const payload = { input, ifNotExists: 'create' as const };
      const values = (await open(api).runs.wait(thread, 'react', payload)) as unknown as Values;
      if (interruptsIn(values).length > 0) return undefined;
      return values.messages.at(-1)!.content;
    },
    approve: async ({ chat_id }) => {
      const client = open(api);
      const { tasks } = await client.threads.getState(chat_id);
      const id = tasks[0]!.interrupts[0]!.id!;
      const resume = { [id]: { decisions: [{ type: 'approve' }] } };
      await client.runs.wait(chat_id, 'react', { command: { resume } });
    },
  }),
};

function open(api: ApiClient): ReturnType<typeof langGraphClient> {
  const apiKey = keyOf(api);
  return langGraphClient(api.url, { ...(apiKey !== undefined && { apiKey }) });
}
