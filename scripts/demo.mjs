// One whole conversation with a real server, over HTTP and SSE, as a person wants to read it. On a terminal, you answer.
import { startServer } from './demo/server.mjs';
import { Conversation } from './demo/conversation.mjs';
import { dim, red, say, seconds } from './demo/terminal.mjs';

const CHAT = 'demo';

const started = performance.now();
const server = await startServer();
say(
  dim(`Parley is ready at ${server.url} after ${seconds(started)}; API to try: ${server.url}/docs`),
);
const conversation = new Conversation(server.url, CHAT);
try {
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
  await conversation.close();
} catch (error) {
  say(red(`\nThe demo failed: ${error.message}`));
  process.exitCode = 1;
} finally {
  await server.stop();
}
