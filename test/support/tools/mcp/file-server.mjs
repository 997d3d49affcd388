// An MCP server over stdio that answers what the files of a folder have: the list of its tools, and
// the result of each call. A call of `changes` says that the list has changed.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [folder] = process.argv.slice(2);
const read = (name) => readFileSync(`${folder}/${name}`, 'utf8').trim();

const METHODS = {
  initialize: ({ protocolVersion }) =>
    JSON.stringify({
      protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'file', version: '1' },
    }),
  'tools/list': () => read('mcp-list.json'),
  'tools/call': () => read('mcp-call.json'),
  ping: () => '{}',
};

process.on('SIGUSR2', () =>
  process.stdout.write('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'),
);
for await (const line of createInterface(process.stdin)) {
  const { id, method, params } = JSON.parse(line);
  const result = id === undefined ? undefined : METHODS[method]?.(params);
  if (result) process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${result}}\n`);
}
