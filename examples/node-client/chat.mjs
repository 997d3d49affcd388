// node chat.mjs MESSAGE: streams the answer, and asks about each call that needs an approval.
import { createInterface } from 'node:readline/promises';
import { createClient } from 'parley/client';

const {
  PARLEY_URL: url = 'http://127.0.0.1:3000',
  PARLEY_KEY: key,
  CHAT = 'node-client',
} = process.env;
const client = createClient({ url, key });
const terminal = createInterface({ input: process.stdin, output: process.stderr });
const leave = new AbortController();
process.once('SIGINT', () => leave.abort());

const user_message = process.argv.slice(2).join(' ') || 'What is 6*7?';
const events = client.start(CHAT, { user_message }, { signal: leave.signal, onConnection });

try {
  for await (const event of events) await show(event);
} catch (error) {
  if (!leave.signal.aborted) console.error(`\n${error.message}`);
  process.exitCode = leave.signal.aborted ? 130 : 1;
} finally {
  terminal.close();
}

async function show(event) {
  process.stdout.write(textOf(event));
  if (event.type === 'APPROVAL_REQUIRED') await decide(event);
  if (event.type === 'INPUT_REQUIRED') await answer(event);
}

/** The text that an event adds to the terminal. */
function textOf(event) {
  switch (event.type) {
    case 'TEXT_DELTA':
      return event.delta;
    case 'TOOL_CALL':
      return `\n→ ${event.tool_name} ${event.tool_input}\n`;
    case 'TOOL_RESULT':
      return `${event.is_error ? '✗' : '✓'} ${event.tool_output}\n`;
    case 'RESUMED': // the text that was cut off is streamed again, from its start
      return '\n(the server goes on)\n';
    case 'INTERACTION_COMPLETE':
      return `\n${event.status}\n`;
    default:
      return '';
  }
}

async function decide({ interaction_id, approval_id, action }) {
  const reply = await terminal.question(`${action}\nApprove? [y/N] `);
  const approved = reply.trim().toLowerCase() === 'y';
  await settle(client.requests.approve(CHAT, interaction_id, { approval_id, approved }));
}

async function answer({ interaction_id, request_id, question }) {
  const reply = await terminal.question(`${question} `);
  await settle(
    client.requests.respond(CHAT, interaction_id, { request_id, answer: reply || null }),
  );
}

/** Another person, or a timeout, may have been first. */
async function settle(request) {
  await request.catch((error) => console.error(error.message));
}

function onConnection({ state, error }) {
  if (state === 'reconnecting' && error) console.error(`\n${error.message} Trying again …`);
}
