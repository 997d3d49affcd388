/**
 * The limit that the server is measured against: hands each request on to the model, and pipes the
 * model's bytes back. No parsing, no storage. Takes the model's port as its argument and sends its
 * own to its parent.
 */
import { Agent, createServer, request as ask } from 'node:http';

const target = {
  host: '127.0.0.1',
  port: Number(process.argv[2]),
  path: '/v1/chat/completions',
  method: 'POST',
  agent: new Agent({ keepAlive: true, maxFreeSockets: 1024 }),
};

const server = createServer((request, response) => {
  const { 'content-type': type, 'content-length': length } = request.headers;
  const headers = { 'content-type': type, 'content-length': length };
  const asked = ask({ ...target, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    response.socket?.setNoDelay(true);
    answer.pipe(response);
  });
  asked.on('error', () => response.destroy());
  response.on('close', () => asked.destroy());
  request.pipe(asked);
});

server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', 4096, () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());
