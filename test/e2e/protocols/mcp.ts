import { connect } from '../../clients/mcp.js';
import type { McpClient } from '../../clients/mcp.js';
import { Gate } from '../../support/gate.js';
import { keyOf } from './protocol-client.js';
import type { Protocol } from './protocol-client.js';

/** A host whose user has the form of a call open until it is asked to approve. */
export const MCP: Protocol = {
  name: 'MCP',
  cannotDecide:
    'A form belongs to its call: what another client has begun, or another call, has none',
  decidesOwn: true,
  connect: (api) => {
    const open: McpClient[] = [];
    const decided = new Gate();
    return {
      send: async (chat_id, message) => {
        const client = await connect('sdk 1.32', {
          ...{ url: api.url, key: keyOf(api) },
          onForm: async (_, signal) => {
            await Promise.race([
              decided.pass(),
              new Promise((end) => signal.addEventListener('abort', end)),
            ]);
            return { action: 'accept', content: {} };
          },
        });
        open.push(client);
        const { isError = false, content } = await client.callTool('react', { message, chat_id });
        if (isError) throw new Error(content[0]!.text);
        return content[0]!.text;
      },
      approve: async () => {
        await decided.reached;
        decided.open();
      },
      close: async () => {
        for (const client of open.splice(0)) await client.close();
      },
    };
  },
};
