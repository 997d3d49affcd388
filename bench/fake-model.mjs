/**
 * An OpenAI-compatible model that costs next to nothing: its answers are rendered once and sent as
 * bytes. What it does is in the model's name:
 *
 * - `flat-200-2`: an answer of 200 deltas, 2 in a packet, as fast as it is taken
 * - `paced-20-15000`: one delta at once and one every 20 ms for 15 s, each in a packet of its own
 *   and stamped with the time at which it was sent
 * - `agent-20`: a call of the calculator, then, once there is a tool result, an answer of 20 deltas
 * - `python`: a call of `python`, then an answer of 20 deltas
 * - `idle`: one delta, then nothing for as long as the client stays
 * - `prose-20`: an answer of 20 deltas of markdown; `code-20` ends with a block of code
 * - `crowd-5-100-20000`: 5 calls of `agent`, each of which writes code, a line of it every 100 ms
 *   for 20 s
 *
 * Sends its port to its parent.
 */
import { createServer } from 'node:http';
import { MARK, stamp } from './stamp.mjs';

/**
 * Deltas in a packet, unless the name says: so that the bare proxy takes 2 CPU-ms for 1,000, as in
 * the figures that we compare with.
 */
const IN_A_PACKET = 2;
/**
 * How often paced streams are served, in milliseconds: their phases are spread over the interval.
 */
const PACER_MS = 2;

const EVENT_END = '\n\n';
const HEADERS = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' };

function chunk(delta, finish_reason = null) {
  return {
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'bench',
    choices: [{ index: 0, delta, finish_reason }],
  };
}

function render(...chunks) {
  return chunks.map((one) => `data: ${JSON.stringify(one)}${EVENT_END}`).join('');
}

function ending(reason) {
  const usage = { prompt_tokens: 12, completion_tokens: 200, total_tokens: 212 };
  const last = { ...chunk({}), choices: [], usage };
  return `${render(chunk({}, reason), last)}data: [DONE]${EVENT_END}`;
}

const OPENING = render(chunk({ role: 'assistant', content: '' }));
const TOKEN = render(chunk({ content: `tok${MARK} ` }));
const [STAMPED_HEAD, STAMPED_TAIL] = render(chunk({ content: `${MARK}@ ` })).split('@');
const CALCULATOR_CALL = toolCall('calculator', ['{"expression":', '"6*7"', '}']);
const PYTHON_CALL = toolCall('python', ['{"code":', '"6*7"', '}']);

/** What the agents of a crowd are told to do. */
const WRITE_CODE = 'write code';
const FENCE = '```';
const CODE_LINES = 20;

function agentInput(index) {
  return JSON.stringify({ agent_type: 'react', prompt: `${WRITE_CODE} ${index}` });
}

function agentCalls(count) {
  const tool_calls = Array.from({ length: count }, (_, index) => ({
    ...{ index, id: `call_${index}`, type: 'function' },
    function: { name: 'agent', arguments: agentInput(index) },
  }));
  return render(chunk({ role: 'assistant', content: null, tool_calls }));
}

function toolCall(name, parts) {
  const begun = { index: 0, id: 'call_bench', type: 'function', function: { name, arguments: '' } };
  return render(
    chunk({ role: 'assistant', content: null }),
    chunk({ tool_calls: [begun] }),
    ...parts.map((text) => chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
  );
}

const answers = new Map();

/** The packets of an answer of `count` deltas. */
function packetsOf(count, inAPacket) {
  const name = `${count}-${inAPacket}`;
  const known = answers.get(name);
  if (known) return known;
  const packets = [];
  for (let sent = 0; sent < count; sent += inAPacket)
    packets.push(TOKEN.repeat(Math.min(inAPacket, count - sent)));
  packets[0] = OPENING + packets[0];
  packets[packets.length - 1] += ending('stop');
  const bytes = packets.map((packet) => Buffer.from(packet));
  answers.set(name, bytes);
  return bytes;
}

function flat(response, count, inAPacket = IN_A_PACKET) {
  const packets = packetsOf(count, inAPacket);
  let next = 0;
  const send = () => {
    if (response.destroyed) return;
    if (next === packets.length - 1) return void response.end(packets[next]);
    response.write(packets[next++]);
    setImmediate(send);
  };
  send();
}

/** Streams that get a delta now and then: one timer serves all, and catches up when it was late. */
const paced = new Set();

function startPaced(response, interval, duration) {
  const now = performance.now();
  const stream = { response, interval, due: now + Math.random() * interval, end: now + duration };
  response.flushHeaders();
  sendDelta(response);
  paced.add(stream);
  response.on('close', () => paced.delete(stream));
}

function servePaced() {
  const now = performance.now();
  for (const stream of paced) {
    for (; stream.due <= now && stream.due < stream.end; stream.due += stream.interval)
      sendDelta(stream.response);
    if (stream.due < stream.end) continue;
    paced.delete(stream);
    stream.response.end(ending('stop'));
  }
}

/** Past the response, which takes three times as long for it. */
function sendDelta({ socket }) {
  const text = STAMPED_HEAD + stamp() + STAMPED_TAIL;
  socket?.write(`${text.length.toString(16)}\r\n${text}\r\n`, 'latin1');
}

/** Lines of code in a block that is never closed. */
function writeCode(response, interval, duration) {
  let line = 0;
  response.write(OPENING + render(chunk({ content: `The code:\n\n${FENCE}ts\n` })));
  const timer = setInterval(() => {
    if (++line * interval < duration)
      return void response.write(render(chunk({ content: codeLine(line) })));
    response.end(ending('stop'));
  }, interval);
  response.on('close', () => clearInterval(timer));
}

function codeLine(number) {
  return `const total${number} = sum(items.slice(${number}), 'of ${number}'); // one more\n`;
}

function markdown(response, count, hasCode) {
  const words = Array.from({ length: count }, () =>
    render(chunk({ content: 'some **words** of it ' })),
  );
  const lines = Array.from({ length: CODE_LINES }, (_, line) => codeLine(line)).join('');
  const code = render(chunk({ content: `\n\n${FENCE}ts\n${lines}${FENCE}\n` }));
  response.end(OPENING + words.join('') + (hasCode ? code : '') + ending('stop'));
}

function answer(response, name, text) {
  const hasToolResult = text.includes('"role":"tool"');
  const [kind, first, second, third] = name.split('-');
  response.writeHead(200, HEADERS);
  if (kind === 'flat') flat(response, Number(first), second && Number(second));
  else if (kind === 'paced') startPaced(response, Number(first), Number(second));
  else if (kind === 'idle') response.write(OPENING + TOKEN);
  else if (kind === 'prose' || kind === 'code') markdown(response, Number(first), kind === 'code');
  else if (kind === 'crowd' && text.includes(WRITE_CODE) && !hasToolResult)
    writeCode(response, Number(second), Number(third));
  else if (kind === 'crowd' && !hasToolResult)
    response.end(agentCalls(Number(first)) + ending('tool_calls'));
  else if (hasToolResult) flat(response, Number(first ?? 20));
  else response.end((kind === 'python' ? PYTHON_CALL : CALCULATOR_CALL) + ending('tool_calls'));
}

const server = createServer((request, response) => {
  const body = [];
  request.on('data', (data) => body.push(data));
  request.on('end', () => {
    const text = Buffer.concat(body).toString();
    const [, name = 'flat-200'] = /"model":"([^"]*)"/.exec(text) ?? [];
    response.socket.setNoDelay(true);
    answer(response, name, text);
  });
});

setInterval(servePaced, PACER_MS);
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', 4096, () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());
