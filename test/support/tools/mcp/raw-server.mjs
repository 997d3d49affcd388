// An MCP server over stdio that answers as its first argument says. Its output begins with a byte
// order mark, as that of some programs on Windows does, and its lines end with CRLF.
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { rawAnswer } from './raw-answers.mjs';

const { answers, delay_ms = 0 } = JSON.parse(process.argv[2]);
process.stdout.write('\uFEFF');
for await (const line of createInterface({ input: process.stdin })) {
  await delay(delay_ms);
  const answer = rawAnswer(answers, line);
  if (answer !== undefined) process.stdout.write(`${answer}\r\n`);
}
