/**
 * An OpenAI-compatible model whose answers follow from the conversation alone. Refuses what a
 * vendor would refuse. The first time it is asked something, it now and then fails, or breaks off.
 * The path begins with the name of the server that asks: `/<server>/v1/…`.
 *
 * Sends its port to its parent, and on each message what it was asked so far: `{ requests,
 * violations, lag_ms }`, and how late it may have been to see something.
 */
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { findFault } from '../checks/conversation.mjs';
import { hash, Random } from '../random.mjs';
import { turnOf } from './turn-of.mjs';

const FAULTS = { none: 88, refuse: 4, cut: 8 };
const requests = [];
const violations = [];
const seen = new Set();
const TICK_MS = 100;
/** With `--slow`: before the first delta of a turn. */
const THINKING_MS = [500, 1_500];
const isSlow = process.argv.includes('--slow');
let lag_ms = 0;
let ticked = performance.now();

const server = createServer((request, response) => void serve(request, response));

async function serve(request, response) {
  const { messages } = JSON.parse(await text(request));
  const turn = turnOf(messages);
  const fault = findFault(messages);
  if (fault) violations.push({ plan: turn?.plan, fault });
  if (fault || !turn || turn.fails) return refuse(response, 400);
  const entry = { plan: turn.plan, server: request.url.split('/')[1], from: Date.now(), to: null };
  requests.push(entry);
  response.on('close', () => (entry.to = Date.now()));
  await answer(response, turn, hash(JSON.stringify(messages)));
}

async function answer(response, turn, id) {
  const random = new Random(id);
  const ill = random.weighted(FAULTS);
  const isFirst = !seen.has(id);
  seen.add(id);
  if (isFirst && ill === 'refuse') return refuse(response, 503);
  const deltas = deltasOf(turn, random);
  const end = isFirst && ill === 'cut' ? random.between(1, deltas.length) : Infinity;
  if (isSlow) await delay(random.between(...THINKING_MS));
  if (response.destroyed) return;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [number, delta] of deltas.entries()) {
    if (response.destroyed) return;
    if (number >= end) return response.destroy();
    response.write(event({ choices: [{ index: 0, delta, finish_reason: null }] }));
    if (random.chance(0.5)) await delay(random.between(1, 12));
  }
  const finish_reason = turn.calls.length > 0 ? 'tool_calls' : 'stop';
  response.write(event({ choices: [{ index: 0, delta: {}, finish_reason }] }));
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  response.end(`${event({ choices: [], usage })}data: [DONE]\n\n`);
}

function deltasOf({ thinking, text: said, calls }, random) {
  return [
    { role: 'assistant', content: '' },
    ...cut(thinking, random).map((reasoning_content) => ({ reasoning_content })),
    ...cut(said, random).map((content) => ({ content })),
    ...calls.flatMap(({ id, name, arguments: input }, index) => [
      { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
      ...cut(input, random).map((piece) => ({
        tool_calls: [{ index, function: { arguments: piece } }],
      })),
    ]),
  ];
}

/** Now and then in the middle of a character. */
function cut(whole, random) {
  const pieces = [];
  for (let at = 0; at < whole.length;) {
    const size = random.between(1, 14);
    pieces.push(whole.slice(at, at + size));
    at += size;
  }
  return pieces;
}

function event(fields) {
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'chaos', ...fields };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function refuse(response, status) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: `chaos says ${status}`, type: 'chaos' } }));
}

setInterval(() => {
  const now = performance.now();
  lag_ms = Math.max(lag_ms, now - ticked - TICK_MS);
  ticked = now;
}, TICK_MS);
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', () => process.send({ requests, violations, lag_ms }));
process.on('disconnect', () => process.exit());
