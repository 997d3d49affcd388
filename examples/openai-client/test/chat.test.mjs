import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';

const PARLEY = new URL('../../../dist/programs/main.js', import.meta.url).pathname;
const CHAT = new URL('../chat.mjs', import.meta.url).pathname;

describe('OpenAI’s client', { timeout: 120_000 }, () => {
  let folder, server, url;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'openai-client-'));
    const env = { ...process.env, PORT: '0', STORE: 'file', DATA_DIR: `${folder}/data` };
    Object.assign(env, { WORKSPACE_DIR: `${folder}/workspace`, WORKSPACE_MODE: 'shared' });
    Object.assign(env, { MODEL: 'demo/script', LOG_FORMAT: 'json', DATABASE_URL: '' });
    const stdio = ['ignore', 'pipe', 'inherit'];
    server = spawn(process.execPath, [PARLEY], { cwd: folder, env, stdio });
    let log = '';
    for await (const chunk of server.stdout.iterator({ destroyOnReturn: false })) {
      url = /Ready on (http:\/\/[^\s;"]+)/.exec((log += chunk))?.[1];
      if (url) break;
    }
    server.stdout.resume();
  });
  after(async () => {
    server.kill('SIGKILL');
    await once(server, 'exit');
    await rm(folder, { recursive: true, force: true });
  });

  /** What it prints, where a person types `input` when asked. */
  async function run(message, input = '', more = {}) {
    const env = { ...process.env, PARLEY_URL: url, ...more };
    const child = spawn(process.execPath, [CHAT, message], {
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close');
    child.stderr.on('data', (chunk) => String(chunk).includes('[y/N]') && child.stdin.write(input));
    const [output, problems] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = await closed;
    return { output, problems, code };
  }

  it('streams an answer with its calls', async () => {
    const { output, code } = await run('What is 6*7?');
    assert.match(output, /→ calculator 42\n.*42.*\ncompleted\n$/s);
    assert.equal(code, 0);
  });

  it('asks before a call, and takes the answer', async () => {
    const call = 'call write {"path":"note.txt","content":"hello"}';
    const { output, problems } = await run(call, 'y\n');
    assert.match(problems, /Approve\? \[y\/N\]/);
    assert.match(output, /incomplete\n.*completed\n$/s);
    assert.equal(await readFile(join(folder, 'workspace/note.txt'), 'utf8'), 'hello');
    await run('call write {"path":"note.txt","content":"bye"}', 'n\n');
    assert.equal(await readFile(join(folder, 'workspace/note.txt'), 'utf8'), 'hello');
  });

  it('says what the server refuses', async () => {
    const { problems, code } = await run('Hi', '', { AGENT: 'none' });
    assert.match(problems, /There is no agent "none"/);
    assert.equal(code, 1);
  });
});
