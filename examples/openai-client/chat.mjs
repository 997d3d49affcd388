// node chat.mjs MESSAGE: streams the answer of an agent, and asks about each call that needs an
// approval. All that is Parley's about it is the address.
import { createInterface } from 'node:readline/promises';
import OpenAI from 'openai';

const { PARLEY_URL = 'http://127.0.0.1:3000', PARLEY_KEY = 'none', AGENT = 'react' } = process.env;
const client = new OpenAI({ baseURL: `${PARLEY_URL}/v1`, apiKey: PARLEY_KEY });
const terminal = createInterface({ input: process.stdin, output: process.stderr });

let input = process.argv.slice(2).join(' ') || 'What is 6*7?';
let previous_response_id;
try {
  for (;;) {
    const response = await ask();
    const asked = response.output.filter(({ type }) => type === 'mcp_approval_request');
    if (asked.length === 0) break;
    input = [];
    for (const request of asked) input.push(await decide(request));
    previous_response_id = response.id;
  }
} finally {
  terminal.close();
}

async function ask() {
  const stream = client.responses.stream({ model: AGENT, input, previous_response_id });
  stream.on('response.output_text.delta', ({ delta }) => process.stdout.write(delta));
  stream.on('response.output_item.done', ({ item }) => {
    if (item.type === 'mcp_call') console.log(`→ ${item.name} ${item.output ?? item.error}`);
  });
  const response = await stream.finalResponse();
  console.log(`\n${response.status}`);
  return response;
}

async function decide({ id, name, arguments: input }) {
  const reply = await terminal.question(`${name} ${input}\nApprove? [y/N] `);
  const approve = reply.trim().toLowerCase() === 'y';
  return { type: 'mcp_approval_response', approval_request_id: id, approve };
}
