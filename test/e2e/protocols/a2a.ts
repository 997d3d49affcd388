import { connect, dataOf, message, stateOf, textsOf } from '../../clients/a2a.js';
import type { Client, Task } from '../../clients/a2a.js';
import type { ApiClient } from '../../support/client/api-client.js';
import type { Protocol } from './protocol-client.js';

export const A2A: Protocol = {
  name: 'A2A',
  connect: (api) => ({
    send: async (contextId, text) => {
      const client = await open(api);
      const task = (await client.sendMessage(message(text, { contextId }))) as Task;
      return stateOf(task) === 'COMPLETED' ? textsOf(task).at(-1) : undefined;
    },
    approve: async ({ chat_id: contextId, id: taskId }) => {
      const client = await open(api);
      const task = await client.getTask({ tenant: '', id: taskId });
      const { approval_id } = dataOf(task.status!.message)[0]!;
      const data = [{ approval_id, approved: true }];
      await client.sendMessage(message(undefined, { contextId, taskId, data }));
    },
  }),
};

function open({ url, headers }: ApiClient): Promise<Client> {
  return connect(url, { headers });
}
