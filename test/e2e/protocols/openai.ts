import { OpenAI7 } from '../../clients/openai-7.js';
import type { ApiClient } from '../../support/client/api-client.js';
import { keyOf } from './protocol-client.js';
import type { Protocol } from './protocol-client.js';

const model = 'react';

export const CHAT_COMPLETIONS: Protocol = {
  name: 'Chat Completions',
  cannotDecide: 'no word for it: the answer waits until somebody decides elsewhere',
  connect: (api) => ({
    send: async (chat_id, content) => {
      const { choices } = await open(api).chat.completions.create({
        ...{ model, messages: [{ role: 'user', content }], metadata: { chat_id } },
      });
      return choices[0]!.message.content!;
    },
  }),
};

export const RESPONSES: Protocol = {
  name: 'Responses',
  connect: (api) => ({
    send: async (conversation, input) => {
      const { output_text, status } = await open(api).responses.create({
        ...{ model, input, conversation },
      });
      return status === 'completed' ? output_text : undefined;
    },
    approve: async ({ id }) => {
      const { id: previous_response_id, output } = await open(api).responses.retrieve(`resp_${id}`);
      const type = 'mcp_approval_response' as const;
      const { id: approval_request_id } = output.find(
        (each) => each.type === `mcp_approval_request`,
      )!;
      const input = [{ type, approval_request_id, approve: true }];
      await open(api).responses.create({ model, input, previous_response_id });
    },
  }),
};

function open(api: ApiClient): OpenAI7 {
  return new OpenAI7({ baseURL: `${api.url}/v1`, apiKey: keyOf(api) ?? 'none', maxRetries: 0 });
}
