import { openChat } from '../../clients/ai-sdk.js';
import type { Chat } from '../../clients/ai-sdk.js';
import { eventually } from '../../support/eventually.js';
import type { ApiClient } from '../../support/client/api-client.js';
import type { Protocol } from './protocol-client.js';

export const AI_SDK: Protocol = {
  name: 'AI SDK',
  connect: (api) => ({
    send: async (id, text) => {
      const chat = open(api, id);
      await chat.sendMessage({ text });
      return answerIn(chat);
    },
    approve: async ({ chat_id }) => {
      const chat = open(api, chat_id);
      await chat.resumeStream();
      const approval = chat.messages[0]!.parts.flatMap(({ approval: each }) => each ?? []).at(-1)!;
      await chat.addToolApprovalResponse({ id: approval.id, approved: true });
      await eventually(() => chat.error !== undefined || answerIn(chat) !== undefined);
      return answerIn(chat);
    },
  }),
};

function open({ url, headers }: ApiClient, id: string): Chat {
  return openChat(7, { url, id, headers });
}

/** @throws the error that the page shows */
function answerIn({ error, messages }: Chat): string | undefined {
  if (error) throw error;
  const { parts, metadata } = messages.at(-1)!;
  if (metadata?.parley['status'] !== 'COMPLETED') return undefined;
  return parts.findLast(({ type }) => type === 'text')?.text;
}
