import type { ApiClient } from '../client/api-client.js';

/** From now on a person is asked about each call of this tool in this chat. */
export async function makeToolAsk(api: ApiClient, chat: string, tool: string): Promise<void> {
  await api.post('/chats', { id: chat }); // 409 if there is one
  const matcher = { type: 'tool', pattern: tool };
  const rule = { scope: 'session', scope_id: chat, decision: 'ask', matcher };
  const { status, body } = await api.post('/permissions/rules', rule);
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
}
