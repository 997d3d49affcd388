// One whole conversation with a real server, over HTTP and SSE, as a person wants to read it. On a
// terminal, you answer.
import { Api } from './demo/api.mjs';
import { Conversation } from './demo/conversation.mjs';
import { Exit } from './demo/exit.mjs';
import { Person } from './demo/person.mjs';
import { startServer } from './demo/server.mjs';
import { dim, red, say, seconds } from './demo/terminal.mjs';

const CHAT = 'demo';
const ADVICE = `To see more of what the server does: LOG_LEVEL=debug npm run demo
To leave out the model, if that is what failed: MODEL=demo npm run demo`;

const exit = new Exit();
exit.signal.addEventListener('abort', () => say(dim('\nYou left the demo.')));
try {
  await run();
} catch (error) {
  if (!exit.signal.aborted) fail(error);
}

async function run() {
  const started = performance.now();
  const { url, stop } = await startServer(exit.signal);
  const person = new Person(exit);
  try {
    say(dim(`Parley is ready at ${url} after ${seconds(started)}; API to try: ${url}/docs`));
    await talk(new Conversation(new Api(url, exit.signal), CHAT, person));
  } finally {
    person.leave();
    await stop();
  }
}

async function talk(conversation) {
  await conversation.tell('Hello! Who are you, and what can you do?');
  await conversation.tell('What is 12 * 9 + 3, and what time is it in Asia/Tokyo?');
  await conversation.addRule({
    scope: 'session',
    scope_id: CHAT,
    decision: 'ask',
    matcher: { type: 'tool', pattern: 'calculator' },
    description: 'ask before anything is calculated',
  });
  await conversation.tell('What is 6 * 7?', {
    decision: { approved: true, modified_input: { expression: '6 * 7 * 10' } },
  });
  await conversation.tell('What is 2 ^ 10?', {
    decision: { approved: false, reason: 'You know that one.' },
  });
  await conversation.tell('Ask me which color I like: red, green or blue?', { answer: 'blue' });
  await conversation.tell('Write a long answer about rivers, about 150 words.', { cutAfter: 40 });
  await conversation.sumUp();
}

function fail({ message, cause }) {
  process.exitCode = 1;
  say(red(`\nThe demo failed: ${message}${cause ? ` (${cause.message})` : ''}`));
  say(ADVICE);
}
