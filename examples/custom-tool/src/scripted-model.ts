import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/**
 * Plays these turns to whoever asks for a chat completion, one for each request. Answers its base
 * URL, too.
 */
export async function startScriptedModel(
  turns: readonly object[],
): Promise<{ readonly server: Server; readonly url: string }> {
  const left = turns.values();
  const server = createServer((request, response) => {
    request.resume();
    const choice = { index: 0, delta: left.next().value, finish_reason: 'stop' };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}
