/**
 * Writes into docs/terminal.md what is marked there with `<!-- docs:terminal -->`: a conversation
 * in tmux, the list of commands, and what the commands of a block print, by the built `parley` with
 * a server of its own. Where only times, ids and the like differ, the document stays as it is.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { textOf } from '../dist/terminal/render/span.js';
import { SLASH_COMMANDS } from '../dist/terminal/repl/input/slash-commands.js';
import { keepGenerated } from './generated-file.mjs';

const MARK = '<!-- docs:terminal -->\n\n';
const SESSION = new RegExp(
  `(?<=${MARK}\`\`\`sh\n)(.*?)(\`\`\`\n\n\`\`\`text\n)(.*?)(?=\`\`\`)`,
  'gs',
);
const LIST = new RegExp(`(?<=${MARK}\`\`\`text\n).*?(?=\`\`\`)`, 's');
/** What is another one each time, or on each machine. */
const CHANGING =
  /\d[\d.]* m?s\b|chat-[\da-f]{10}|[\da-f]{8}-[\da-f-]{27}|Node [\d.]+|(?<=commands: ).*|(?<=127\.0\.0\.1:)\d+/g;
const WIDTH = 100;
const CONVERSATION = 'npm run chat\n';
const LIMIT_MS = 60_000;

const program = fileURLToPath(new URL('../dist/programs/parley.js', import.meta.url));
const main = fileURLToPath(new URL('../dist/programs/main.js', import.meta.url));
const target = fileURLToPath(new URL('../docs/terminal.md', import.meta.url));
const page = readFileSync(target, 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'parley-doc-'));
const server = startServer();
try {
  const url = await readyUrl(server);
  const conversation = await converse(url);
  const text = page.replace(LIST, list).replace(SESSION, (_, commands, between, old) => {
    const output = commands === CONVERSATION ? conversation : run(commands, url);
    return commands + between + (masked(output) === masked(old) ? old : output);
  });
  await keepGenerated(target, text, 'docs:terminal');
} finally {
  const ended = once(server, 'exit');
  server.kill();
  await ended;
  rmSync(folder, { recursive: true });
}

function startServer() {
  const own = { STORE: 'file', MODEL: 'demo/script', AUTH: 'none', PORT: '0' };
  const data = { DATA_DIR: join(folder, 'data'), WORKSPACE_DIR: join(folder, 'workspace') };
  const env = { PATH: process.env.PATH, HOME: folder, ...own, ...data };
  return spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

async function readyUrl({ stdout }) {
  let log = '';
  for await (const piece of stdout.iterator({ destroyOnReturn: false })) {
    log += piece;
    const [, url] = /Ready on (http:\/\/[^\s;]+)/.exec(log) ?? [];
    if (url) {
      stdout.resume();
      return url;
    }
  }
  throw new Error(`The server is not ready:\n${log}`);
}

function run(commands, url) {
  const script = `exec 2>&1 </dev/null\nparley() { "$NODE" "$PROGRAM" "$@"; }\n${commands}`;
  const tools = { NODE: process.execPath, PROGRAM: program, PARLEY_URL: url };
  const env = { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', ...tools };
  const output = execFileSync('sh', ['-c', script], { env, encoding: 'utf8' });
  return output.replaceAll(url, 'http://127.0.0.1:3000');
}

/** A message, and an approval with other arguments. */
async function converse(url) {
  const tmux = (...args) =>
    execFileSync('tmux', ['-u', '-f', '/dev/null', '-S', join(folder, 'tmux'), ...args], {
      encoding: 'utf8',
    });
  const env = { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', PARLEY_URL: url };
  const variables = Object.entries({ ...env, EDITOR: "sed -i 's/hello/bye/'" });
  const words = ['env', ...variables.map(([name, value]) => `${name}=${value}`)];
  const command = [...words, process.execPath, program, 'chat'];
  const quoted = command.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  const sees = async (expected) => {
    const end = performance.now() + LIMIT_MS;
    for (let text = ''; performance.now() < end; await delay(50)) {
      text = tmux('capture-pane', '-p', '-S', '-');
      if (expected.test(text)) return text;
    }
    throw new Error(`Not seen: ${expected}\n${tmux('capture-pane', '-p', '-S', '-')}`);
  };
  const write = JSON.stringify({ path: 'a.txt', content: 'hello\nthere\n' });
  tmux('new-session', '-d', '-x', String(WIDTH), '-y', '50', quoted);
  try {
    await sees(/^›/m);
    tmux('send-keys', '-l', `call write ${write}`);
    tmux('send-keys', 'Enter');
    await sees(/a approve/);
    tmux('send-keys', 'e');
    return `${(await sees(/completed · [^]*\n›/)).trimEnd().replace(/^[^›]*/, '')}\n`;
  } finally {
    tmux('kill-server');
  }
}

function masked(output) {
  return output.replace(CHANGING, '');
}

function list() {
  const lines = [];
  SLASH_COMMANDS.help.run({ view: { width: WIDTH }, print: (drawn) => lines.push(...drawn) });
  const texts = lines.map(textOf);
  return `${texts.slice(0, texts.indexOf('')).join('\n')}\n`;
}
