import { randomUUID } from 'node:crypto';
import { openAgent, openCopilotKit } from '../../clients/ag-ui.js';
import type { AgentEvent, RemoteAgent } from '../../clients/ag-ui.js';
import type { Protocol } from './protocol-client.js';

/** Agents send messages; pages of CopilotKit find what a thread waits for. */
export const AG_UI: Protocol = {
  name: 'AG-UI',
  connect: (api) => ({
    send: async (threadId, content) => {
      const agent = openAgent('1.0.0', { url: api.url, threadId, headers: api.headers });
      agent.addMessage({ id: randomUUID(), role: 'user', content });
      await run(agent);
      if (agent.pendingInterrupts.length > 0) return undefined;
      return agent.messages.findLast(({ role }) => role === 'assistant')?.content;
    },
    approve: async ({ chat_id }) => {
      const { url, headers } = api;
      const page = openCopilotKit({ url, threadId: chat_id, headers });
      await page.connectAgent();
      const { id: interruptId } = page.pendingInterrupts[0]!;
      await run(page, { resume: [{ interruptId, status: 'resolved', payload: true }] });
    },
  }),
};

/** @throws an error that the run ended with */
async function run(agent: RemoteAgent, parameters: object = {}): Promise<void> {
  let failed: AgentEvent | undefined;
  await agent.runAgent(parameters, {
    onEvent: ({ event }) => void (event.type === 'RUN_ERROR' && (failed = event)),
  });
  if (failed) throw new Error(JSON.stringify(failed));
}
