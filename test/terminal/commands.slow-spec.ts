import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Environment } from '../../src/config/load-config.js';
import { eventually } from '../support/eventually.js';
import { ServerProcess } from '../support/server/server-process.js';
import { openTcpProxy } from '../support/server/tcp-proxy.js';
import { parley, startParley } from '../support/terminal/parley.js';

/** One server, on files, for all commands. Each command is a process, which takes its time. */
describe('parley', () => {
  let folder: string;
  let server: ServerProcess;
  let env: Environment;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-commands-'));
    const data = { DATA_DIR: join(folder, 'data'), WORKSPACE_DIR: join(folder, 'workspace') };
    server = await ServerProcess.start({ ...data, STORE: 'file', MODEL: 'demo/script' });
    const { url } = await server.api();
    env = { PARLEY_URL: url, HOME: folder };
  });
  afterAll(async () => {
    await server.kill('SIGTERM');
    await rm(folder, { recursive: true });
  });

  async function isOver(chat: string): Promise<void> {
    const api = await server.api();
    await eventually(async () => (await api.get(`/chats/${chat}`)).body.status === 'COMPLETED');
  }

  it('answers a prompt: the answer alone, where it is not a terminal', async () => {
    const run = await parley(['chat', 'what is 6*7'], { env });
    expect(run).toEqual({ code: 0, stdout: '6*7 = 42\n', stderr: '' });
  });

  it('takes the prompt from standard input, also a long one', async () => {
    const words = 'word '.repeat(20_000);
    const run = await parley(['chat'], { env, input: `what is 6*7\n${words}` });
    expect(run).toMatchObject({ code: 0, stdout: '6*7 = 42\n' });
  });

  it('gives the events as JSON lines', async () => {
    const { stdout, code } = await parley(['chat', 'what is 6*7', '--json'], { env });
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(code).toBe(0);
    expect(events[0]).toMatchObject({ type: 'INTERACTION_STARTED', user_message: 'what is 6*7' });
    expect(events.at(-1)).toMatchObject({ type: 'INTERACTION_COMPLETE', status: 'COMPLETED' });
    expect(events.map(({ type }) => type)).toContain('TEXT_DELTA');
  });

  it('speaks the answer with the program that plays audio here', async () => {
    const bin = join(folder, 'bin');
    await mkdir(bin);
    const player = `#!${process.execPath}\nprocess.stdin.pipe(require('fs').createWriteStream(process.env.SPOKEN))`;
    await writeFile(join(bin, 'paplay'), player, { mode: 0o755 });
    const SPOKEN = join(folder, 'spoken.pcm');
    const run = await parley(['chat', 'what is 6*7', '--chat', 'spoken', '--speak'], {
      env: { ...env, PATH: bin, SPOKEN },
    });
    expect(run).toEqual({ code: 0, stdout: '6*7 = 42\n', stderr: '' });
    const api = await server.api();
    const { chat_id, id } = (await api.get('/chats/spoken')).body.interactions[0];
    const speech = await api.fetch(`/chats/${chat_id}/interactions/${id}/speech?format=pcm`);
    const pcm = Buffer.from(await speech.arrayBuffer());
    expect(pcm.length).toBeGreaterThan(0);
    expect(await readFile(SPOKEN)).toEqual(pcm);
    const none = await parley(['chat', 'what is 6*7', '--speak'], {
      env: { ...env, PATH: folder },
    });
    expect(none).toMatchObject({ code: 2, stdout: '' });
    expect(none.stderr).toContain('--speak needs a program that plays: paplay, aplay');
  });

  it('says with its exit code that the answer failed', async () => {
    const run = await parley(['chat', 'fail'], { env });
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toContain('The demo model failed, as it was told to.');
  });

  it.each([
    [['talk']],
    [['chat', '--nope', 'x']],
    [['chat', '']],
    [['approve', 'approval_none']],
    [['chat', '--agent', 'nobody', 'x']],
    [['chat', '--chat', 'a b', 'x']],
    [['chat', '--chat', 'a', '--continue', 'x']],
    [['chat', '--workspace', '.', 'x']],
    [['chat', '--queue', '--interrupt', 'x']],
  ])('refuses %j with exit code 2, and says what to do', async (args) => {
    const run = await parley(args, { env });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('parley');
  });

  it('waits for a person with exit code 3, who then approves with other arguments', async () => {
    const said = 'call bash {"command":"echo one"}';
    const run = await parley(['chat', said, '--chat', 'approvals'], { env });
    expect(run).toMatchObject({ code: 3, stdout: '' });
    const [, id = ''] = /parley approve (\S+)/.exec(run.stderr) ?? [];
    const { stdout: inbox } = await parley(['inbox'], { env });
    expect(inbox).toMatch(/^ {2}\S.*echo one.*$/m);
    expect(inbox).toContain(id);
    const other = await parley(['answer', id, 'x'], { env });
    expect(other.code).toBe(2);
    const input = '{"command":"echo two"}';
    const approved = await parley(['approve', id, '--input', input, '--remember', 'session'], {
      env,
    });
    expect(approved).toMatchObject({ code: 0, stderr: '' });
    expect(approved.stdout).toMatch(
      /^Approved: bash\nRemembered: allow in this chat: .*`echo two`/,
    );
    expect(await parley(['approve', id], { env })).toMatchObject({ code: 2 });
    await isOver('approvals');
    const again = await parley(
      ['chat', 'call bash {"command":"echo two"}', '--chat', 'approvals'],
      {
        env,
      },
    );
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('two') });
  });

  it('rejects with a reason, and answers questions', async () => {
    const asked = await parley(['chat', 'call bash {"command":"ls"}', '--chat', 'no'], { env });
    const [, id = ''] = /parley reject (\S+)/.exec(asked.stderr) ?? [];
    const rejected = await parley(['reject', id, '--reason', 'not now'], { env });
    expect(rejected).toEqual({ code: 0, stdout: 'Rejected: bash\n', stderr: '' });
    const question = await parley(['chat', 'ask me my name', '--chat', 'question'], { env });
    expect(question.code).toBe(3);
    const [, request = ''] = /parley answer (\S+)/.exec(question.stderr) ?? [];
    expect(await parley(['answer', request, 'Ada'], { env })).toMatchObject({ code: 0 });
    await isOver('no');
    const { stdout: log } = await parley(['log', 'no'], { env });
    expect(log).toContain('rejected by local: not now');
  });

  it('lists chats, and prints one', async () => {
    await parley(['chat', 'what is 5*5', '--chat', 'fives'], { env });
    const { stdout: list } = await parley(['chats', 'fives'], { env });
    const { stdout: found } = await parley(['chats', 'what is 5'], { env });
    expect(list + found).toMatch(/fives .*completed .*what is 5\*5/);
    const { stdout: log } = await parley(['log', 'fives'], { env });
    expect(log).toContain('› what is 5*5');
    expect(log).toContain('● calculator 5*5\n  └ 25');
    expect(log).toMatch(/5\*5 = 25\n\n {2}completed · /);
    const { stdout: records } = await parley(['log', 'fives', '--json'], { env });
    const lines = records.trim().split('\n');
    expect(() => lines.map((line) => JSON.parse(line) as unknown)).not.toThrow();
    const none = await parley(['log', 'none'], { env });
    expect(none).toMatchObject({ code: 1 });
    expect(none.stderr).toContain('There is no chat none. parley chats lists');
  });

  it('continues the last chat', async () => {
    await parley(['chat', 'what is 1+1', '--chat', 'last'], { env });
    await parley(['chat', 'what is 2+2', '--continue'], { env });
    const { stdout } = await parley(['log', 'last'], { env });
    expect(stdout).toMatch(/1\+1 = 2[^]*2\+2 = 4/);
  });

  it('watches a chat until it is left', async () => {
    await parley(['chat', 'hello', '--chat', 'watched'], { env });
    const { child } = await startParley(['watch', 'watched', '--json'], { env });
    const seen = new Promise<void>((resolve) => {
      let events = '';
      child.stdout.on('data', (piece) => {
        events += String(piece);
        if (events.includes('"CHAT_STATE"') && !events.includes('"ANSWER"'))
          void parley(['chat', 'what is 3*3', '--chat', 'watched'], { env });
        if (events.includes('3*3 = 9') && events.includes('"INTERACTION_COMPLETE"')) resolve();
      });
    });
    await seen;
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([0, null]);
  });

  it('cancels what it has started when it is interrupted', async () => {
    const { child } = await startParley(['chat', 'slow', '--chat', 'stopped', '--json'], { env });
    child.stdout.on('data', (piece) => {
      if (String(piece).includes('TEXT_DELTA')) child.kill('SIGINT');
    });
    expect(await once(child, 'close')).toEqual([130, null]);
    const { stdout } = await parley(['log', 'stopped'], { env });
    expect(stdout).toContain('Cancelled by the user.');
  });

  describe('in a chat that is busy', () => {
    const next = ['chat', 'what is 2*4', '--chat'];

    async function occupy(chat: string): Promise<void> {
      expect(await parley(['chat', 'ask me my name', '--chat', chat], { env })).toMatchObject({
        code: 3,
      });
    }

    async function queued(chat: string): Promise<readonly unknown[]> {
      const api = await server.api();
      return (await api.get(`/chats/${chat}/queue`)).body.items;
    }

    it('fails, and names what to do instead', async () => {
      await occupy('busy');
      const run = await parley([...next, 'busy'], { env });
      expect(run).toMatchObject({ code: 1, stdout: '' });
      expect(run.stderr).toMatch(/--queue .*--interrupt .*parley chat --chat busy/);
    });

    it('waits for its turn with --queue', async () => {
      await occupy('turns');
      const run = parley([...next, 'turns', '--queue'], { env });
      await eventually(async () => (await queued('turns')).length === 1);
      const api = await server.api();
      const { body } = await api.get('/requests?chat_id=turns&status=pending');
      await parley(['answer', body.items[0].id, 'Ada'], { env });
      expect(await run).toEqual({ code: 0, stdout: '2*4 = 8\n', stderr: '' });
      expect((await parley(['log', 'turns'], { env })).stdout).toContain('ask_human says: Ada');
    });

    it('leaves the queue when it is interrupted', async () => {
      await occupy('left');
      const { child } = await startParley([...next, 'left', '--queue'], { env });
      await eventually(async () => (await queued('left')).length === 1);
      child.kill('SIGINT');
      expect(await once(child, 'close')).toEqual([130, null]);
      expect(await queued('left')).toEqual([]);
    });

    it('stops what runs with --interrupt', async () => {
      await occupy('stops');
      const run = await parley([...next, 'stops', '--interrupt'], { env });
      expect(run).toEqual({ code: 0, stdout: '2*4 = 8\n', stderr: '' });
      expect((await parley(['log', 'stops'], { env })).stdout).toContain('cancelled · ');
    });
  });

  it('keeps to ASCII without a UTF-8 locale', async () => {
    const ascii = { ...env, LC_ALL: 'C' };
    const of = async (...args: string[]): Promise<string> => {
      const { stdout, stderr } = await parley(args, { env: ascii });
      return stdout + stderr;
    };
    await of(
      'chat',
      'call write {"path":"a.txt","content":"hello\\n"}',
      '--yes',
      '--chat',
      'ascii',
    );
    const log = await of('log', 'ascii');
    const output = [
      ...[log, await of('--help'), await of('talk'), await of('doctor'), await of('chats')],
      await of('chat', 'ask me which colour I like: red or blue', '--chat', 'ascii-question'),
      await of('log', 'ascii-question'),
      await of('inbox'),
    ];
    expect(log).toMatch(/> call write[^]*\* write a.txt\n {2}` Created[^]*completed - /);
    expect(output.join('\n')).toMatch(/^[\n -~]+$/);
  });

  it('says that it reconnects, and goes on', async () => {
    const { hostname: host, port } = new URL(env['PARLEY_URL']!);
    const proxy = await openTcpProxy({ host, port: Number(port) });
    const away = { ...env, PARLEY_URL: `http://127.0.0.1:${proxy.port}` };
    const { child } = await startParley(['chat', 'write 60 words', '--json'], { env: away });
    const closed = once(child, 'close');
    const stdout = text(child.stdout);
    child.stdout.once('data', () => void proxy.cut());
    const [said] = (await once(child.stderr, 'data')) as [Buffer];
    expect(String(said)).toBe('parley: the connection is lost; reconnecting\n');
    await proxy.restore();
    expect(await closed).toEqual([0, null]);
    expect(await stdout).toContain('"INTERACTION_COMPLETE"');
    await proxy.cut();
  });

  it('ends quietly when the reader of its output leaves', async () => {
    const { child } = await startParley(['chat', 'slow', '--chat', 'piped', '--json'], { env });
    child.stdout.once('data', () => child.stdout.destroy());
    const [stderr, [code]] = await Promise.all([
      text(child.stderr),
      once(child, 'exit') as Promise<[number | null]>,
    ]);
    expect({ stderr, code }).toEqual({ stderr: '', code: 130 });
  });

  it('says where the console is, and what state the server is in', async () => {
    const { stdout } = await parley(['open', 'fives'], { env });
    expect(stdout).toBe(`${env['PARLEY_URL']}/console/chats/fives\n`);
    const { stdout: report, code } = await parley(['doctor'], { env });
    expect(code).toBe(0);
    for (const part of [
      /server +answers/,
      /version +\d/,
      /credential +accepted/,
      /demo\/script answers/,
    ])
      expect(report).toMatch(part);
  });

  it.each([[['inbox']], [['chat', 'hello']], [['watch', 'watched']]])(
    'says at once what to do about a server that is not there: %j',
    async (args) => {
      const run = await parley(args, { env: { ...env, PARLEY_URL: 'http://127.0.0.1:9' } });
      expect(run).toMatchObject({ code: 1, stdout: '' });
      expect(run.stderr).toContain('Start one with: parley serve');
    },
  );

  it('says so, too, of one that closes each connection, as a proxy without a server does', async () => {
    const closing = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(closing, 'listening');
    const { port } = closing.address() as AddressInfo;
    const away = { ...env, PARLEY_URL: `http://127.0.0.1:${port}` };
    for (const args of [['chat', 'hello'], ['inbox'], ['approve', 'x'], ['doctor']]) {
      const { code, stdout, stderr } = await parley(args, { env: away });
      expect({ args, code }).toEqual({ args, code: 1 });
      expect(stdout + stderr).toContain('Start one with: parley serve');
    }
    closing.close();
  });

  it('refuses an address that is none', async () => {
    const odd = await parley(['inbox', '--url', 'nonsense'], { env });
    expect(odd).toMatchObject({ code: 2 });
  });

  it('names its version', async () => {
    expect((await parley(['--version'], { env })).stdout).toMatch(/^parley \d+\.\d+\.\d+\n$/);
    expect((await parley(['--help'], { env })).stdout).toContain('parley chat ["prompt"]');
  });
});
