// An MCP server over stdio that answers what the files of a folder have: the list of its tools, and
// the result of each call. It says that the list has changed when its file is replaced, and writes
// a file when it has sent the list.
import { readFileSync, watch, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [folder] = process.argv.slice(2);
const LIST = 'mcp-list.json';
const read = (name) => readFileSync(`${folder}/${name}`, 'utf8').trim();

const METHODS = {
  initialize: ({ protocolVersion }) =>
    JSON.stringify({
      protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'file', version: '1' },
    }),
  'tools/list': () => read(LIST),
  'tools/call': () => read('mcp-call.json'),
  ping: () => '{}',
};

watch(folder, (_, name) => {
  if (name === LIST)
    process.stdout.write('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n');
});
for await (const line of createInterface(process.stdin)) {
  const { id, method, params } = JSON.parse(line);
  const result = id === undefined ? undefined : METHODS[method]?.(params);
  if (!result) continue;
  process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${result}}\n`);
  if (method === 'tools/list') writeFileSync(`${folder}/mcp-sent`, result.slice(0, 100));
}
