import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../src/config/load-config.js';
import { skipContract } from '../support/skip-contract.js';
import { freePort } from '../support/server/free-port.js';
import { ServerProcess } from '../support/server/server-process.js';
import { findTmuxFault, TmuxTerminal } from '../support/terminal/tmux.js';

const fault = findTmuxFault();
const READY = '›';
const WRITE = 'call write {"path":"note.txt","content":"hello\\n"}';

/** Real terminals, which are read as a person would; the demo model takes 20 ms a word. */
if (fault) skipContract('the conversation at a terminal', fault);
else
  describe('the conversation at a terminal', () => {
    let folder: string;
    let serverEnv: Environment;
    let server: ServerProcess;
    let env: Environment;
    let terminal: TmuxTerminal;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'parley-repl-'));
      const data = { DATA_DIR: join(folder, 'data'), WORKSPACE_DIR: join(folder, 'workspace') };
      const own = { STORE: 'file', MODEL: 'demo/script', LEASE_TTL_MS: '1000' };
      serverEnv = { ...data, ...own, PORT: String(await freePort()) };
      server = await ServerProcess.start(serverEnv);
      const { url } = await server.api();
      env = { PARLEY_URL: url };
    });
    afterEach(() => terminal.close());
    afterAll(async () => {
      await server.kill('SIGTERM');
      await rm(folder, { recursive: true });
    });

    async function start(
      args: readonly string[] = [],
      more: Environment = {},
      size: { columns?: number; rows?: number } = {},
    ): Promise<void> {
      terminal = await TmuxTerminal.start(args, { env: { ...env, ...more }, ...size });
      await terminal.sees(READY);
    }

    it('steers with Enter while it works', async () => {
      await start(['--yes']);
      await terminal.enter('call bash {"command":"echo begun; sleep 2"}');
      await terminal.sees(/bash .*begun/);
      await terminal.enter('what is 2+3');
      await terminal.sees('↳ what is 2+3');
      await terminal.sees('2+3 = 5');
    });

    it('gives a note back that no agent has read', async () => {
      await start();
      await terminal.enter('write 400 words');
      await terminal.sees('watch text arrive');
      await terminal.enter('too late');
      await terminal.sees('1 note sent');
      await terminal.sees(/completed · [^]*ended before your note was read[^]*› too late/);
    });

    it('queues with Ctrl-X Enter, and edits what waits', async () => {
      await start();
      await terminal.enter('write 400 words');
      await terminal.sees('watch text arrive');
      await terminal.type('what is 1+1');
      await terminal.press('C-x', 'Enter');
      await terminal.sees('1 queued');
      await terminal.enter('/queue edit 1');
      await terminal.sees('queued › what is 1+1');
      await terminal.press('BSpace');
      await terminal.enter('8');
      await terminal.sees('1+8 = 9');
      expect(await terminal.text()).not.toContain('1+1 =');
    });

    it('moves a message of the queue to another place', async () => {
      await start(['--chat', 'moved']);
      await terminal.enter('ask me my name');
      await terminal.sees('answer ›');
      const api = await server.api();
      for (const user_message of ['one', 'two', 'three'])
        await api.begin('moved', { user_message, on_conflict: 'enqueue' });
      await terminal.sees('3 queued');
      await terminal.enter('/queue move 3 2');
      await terminal.enter('/queue');
      await terminal.sees(/ 1 +one\n +2 +three\n +3 +two\n/);
    });

    it('approves with arguments that were edited in $EDITOR', async () => {
      await start([], { EDITOR: 'sed -i s/hello/goodbye/' });
      await terminal.enter(WRITE);
      const card = await terminal.sees('a approve');
      expect(card).toContain('│ +hello');
      await terminal.press('e');
      const text = await terminal.sees('completed · ');
      expect(text).toContain('✓ approved as {"path":"note.txt","content":"goodbye\\n"}');
      expect(text).toContain('+goodbye');
    });

    it('rejects with a reason, and remembers with the rule that it adds', async () => {
      await start();
      await terminal.enter('call bash {"command":"echo one"}');
      await terminal.sees('a approve');
      await terminal.press('r');
      await terminal.sees('reason ›');
      await terminal.enter('not today');
      await terminal.sees('✗ rejected: not today');
      await terminal.sees('completed · ');
      await terminal.enter('call bash {"command":"echo two"}');
      await terminal.sees(/echo two[^]*a approve/);
      await terminal.press('m');
      await terminal.sees('from now on allow the command `echo two`, exactly');
      await terminal.sees('c in this chat');
      await terminal.press('c');
      await terminal.sees('Remembered: allow in this chat: the command `echo two`, exactly.');
      await terminal.sees(/echo two[^]*completed · /);
      await terminal.enter('/forget');
      await terminal.sees('The rule is gone.');
    });

    it('remembers a rejection with the rule that it adds', async () => {
      await start();
      await terminal.enter('call bash {"command":"echo three"}');
      await terminal.shows(/a approve/);
      await terminal.press('m');
      await terminal.shows(/d deny instead/);
      await terminal.press('d');
      await terminal.shows(/from now on deny the command `echo three`[^]*a allow instead/);
      await terminal.press('c');
      await terminal.sees('Remembered: deny in this chat: the command `echo three`');
      await terminal.sees(/✗ rejected\n[^]*completed · /);
      await terminal.enter('call bash {"command":"echo three"}');
      const text = await terminal.sees(/completed · [^]*completed · /);
      expect(text.match(/May bash run\?/g)).toHaveLength(1);
      await terminal.enter('/forget');
      await terminal.sees('The rule is gone.');
    });

    it('leaves what is typed at a request before Esc or Ctrl-C cancels its answer', async () => {
      await start(['--chat', 'kept']);
      await terminal.enter('call bash {"command":"echo kept"}');
      await terminal.shows(/Esc cancels the answer\na approve/);
      await terminal.press('r');
      await terminal.type('because');
      await terminal.shows(/reason › because/);
      await terminal.press('Escape');
      await terminal.shows(/a approve/);
      await terminal.press('r');
      await terminal.shows(/reason ›/);
      await terminal.press('C-c');
      await terminal.shows(/a approve/);
      await terminal.press('Space', 'h', 'e', 'y');
      await terminal.shows(/Esc empties the input, then keys decide\n› +hey/);
      await terminal.press('Escape', 'Escape');
      await terminal.shows(/Esc cancels the answer\na approve/);
      const api = await server.api();
      expect((await api.get('/requests?chat_id=kept&status=pending')).body.items).toHaveLength(1);
      await terminal.press('C-c');
      const text = await terminal.sees('cancelled · ');
      expect(text).toMatch(/✗ rejected by the cancel/);
    });

    it('shows all of an approval that is longer than the screen', async () => {
      await start([], { PAGER: 'grep -c +line' });
      const content = Array.from({ length: 120 }, (_, at) => `line ${at}\\n`).join('');
      await terminal.enter(`call write {"path":"long.txt","content":"${content}"}`);
      await terminal.shows(/\d+ lines above[^]*v view/);
      const card = await terminal.text();
      for (let at = 0; at < 120; at++) expect(card).toMatch(new RegExp(`│ \\+line ${at}\n`));
      await terminal.press('v');
      await terminal.shows(/^120\n[^]*v view/m);
      await terminal.press('r');
      await terminal.shows(/reason ›/);
      await terminal.press('Enter');
      await terminal.sees('completed · ');
    });

    it('keeps a request whose editor is ended by Ctrl-C', async () => {
      await start([], { EDITOR: 'sh -c "echo EDITING; sleep 1000"' });
      await terminal.enter('call bash {"command":"echo still"}');
      await terminal.sees('a approve');
      await terminal.press('e');
      await terminal.shows(/EDITING/);
      await terminal.press('C-c');
      await terminal.sees('Nothing was changed; it still waits for you.');
      await terminal.shows(/a approve/);
      await terminal.press('a');
      await terminal.sees(/└ still[^]*completed · /);
    });

    it('gives a message back whose files were on their way', async () => {
      await writeFile(join(folder, 'sent.txt'), 'one\n');
      await start();
      server.signal('SIGSTOP');
      try {
        await terminal.enter(`hello @${folder}/sent.txt`);
        await terminal.sees('sending');
        await terminal.press('Escape');
        await terminal.sees(/Not sent: it is in the input again\.[^]*› hello @/);
      } finally {
        server.signal('SIGCONT');
      }
      await terminal.press('Enter');
      await terminal.sees(/with sent.txt[^]*completed · /);
    });

    it('obeys commands while a request waits, and takes other texts for it', async () => {
      await start();
      await terminal.enter('call bash {"command":"echo waits"}');
      await terminal.sees('a approve');
      await terminal.enter('/tree');
      await terminal.sees('react waiting permission');
      await terminal.press('r');
      await terminal.sees('reason ›');
      await terminal.press('Enter');
      await terminal.sees('completed · ');
      await terminal.enter('ask me which way');
      await terminal.sees('answer ›');
      await terminal.enter('/queue');
      await terminal.sees('Nothing waits.');
      await terminal.enter('/etc/hosts');
      const text = await terminal.sees(/answered: \/etc\/hosts[^]*completed · /);
      expect(text).not.toMatch(/↳ \/(?:tree|queue)/);
    });

    it('asks one request after the other, and says at once what others have settled', async () => {
      await start(['--chat', 'shared']);
      await terminal.enter('call bash {"command":"echo shared"}');
      await terminal.sees('a approve');
      const api = await server.api();
      const { body } = await api.get('/requests?chat_id=shared&status=pending');
      const [{ id, interaction_id }] = body.items;
      const path = `/chats/shared/interactions/${interaction_id}/approve`;
      await api.post(path, { approval_id: id, approved: true });
      await terminal.sees('✓ approved by local');
      await terminal.sees('completed · ');
      expect(await terminal.screen()).not.toContain('a approve');
    });

    it('asks about one of two calls at a time, and names it where it is decided', async () => {
      const api = await server.api();
      await api.post('/chats', { id: 'two' });
      for (const pattern of ['calculator', 'current_time']) {
        const matcher = { type: 'tool', pattern };
        const rule = { scope: 'session', scope_id: 'two', priority: 0, decision: 'ask', matcher };
        expect((await api.post('/permissions/rules', rule)).status).toBe(201);
      }
      await start(['--chat', 'two']);
      await terminal.enter('what is 12 * 9 + 3, and what time is it');
      await terminal.shows(/May calculator run\? 12 \* 9 \+ 3\n2 waiting for you[^]*a approve/);
      expect(await terminal.text()).not.toContain('May current_time run');
      await terminal.press('n');
      await terminal.shows(/May current_time run\?\n2 waiting for you[^]*a approve/);
      await terminal.press('n');
      await terminal.shows(
        /May current_time run[^]*May calculator run[^]*\n2 waiting for you[^]*a approve/,
      );
      await terminal.press('a');
      await terminal.sees(/May calculator run\?[^?]*✓ approved\n/);
      await terminal.shows(/May current_time run\?\n1 waiting for you[^]*a approve/);
      await terminal.press('a');
      await terminal.sees(/May current_time run\?[^?]*✓ approved\n[^]*completed · /);
    });

    it('answers a question by the number of an option, and declines one', async () => {
      await start();
      await terminal.enter('ask me which colour I like: red, green or blue');
      await terminal.sees('answer ›');
      await terminal.enter('2');
      await terminal.sees('ask_human says: green');
      await terminal.sees('completed · ');
      await terminal.enter('ask me my name');
      await terminal.sees(/Your name\?[^]*answer ›/);
      await terminal.press('C-d');
      await terminal.sees('declined');
    });

    it('cancels with Esc, and edits the last message with Esc Esc', async () => {
      await start();
      await terminal.enter('write 2000 words');
      await terminal.sees('watch text arrive');
      await terminal.press('Escape');
      await terminal.sees('cancelled · ');
      await terminal.press('Escape', 'Escape');
      await terminal.sees('instead › write 2000 words');
      await terminal.press('C-u');
      await terminal.enter('what is 9*9');
      await terminal.sees('9*9 = 81');
    });

    it('leaves with Ctrl-C twice, and comes back to the chat', async () => {
      await start(['--chat', 'again']);
      await terminal.enter('what is 4*4');
      await terminal.sees('completed · ');
      await terminal.press('C-c', 'C-c');
      expect(await terminal.ended()).toBe(0);
      await terminal.close();
      await start(['--continue']);
      await terminal.sees('4*4 = 16');
    });

    it('cancels the answer before it leaves with Ctrl-C twice', async () => {
      await start(['--chat', 'burst']);
      await terminal.enter('write 2000 words');
      await terminal.sees('watch text arrive');
      await terminal.press('C-c', 'C-c');
      expect(await terminal.ended()).toBe(0);
      const api = await server.api();
      expect((await api.get('/chats/burst')).body.status).toBe('CANCELLED');
    });

    it('cancels a message that is still being sent when it is left', async () => {
      await start(['--chat', 'unsent']);
      server.signal('SIGSTOP');
      try {
        await terminal.enter('write 2000 words');
        await terminal.sees('sending');
        await terminal.press('C-c', 'C-c');
        await terminal.sees('then leaving');
      } finally {
        server.signal('SIGCONT');
      }
      expect(await terminal.ended()).toBe(0);
      const api = await server.api();
      expect((await api.get('/chats/unsent')).body.status).toBe('CANCELLED');
    });

    it('says that the server did not confirm the cancel, and leaves', async () => {
      await start(['--chat', 'silent']);
      server.signal('SIGSTOP');
      try {
        await terminal.enter('hello');
        await terminal.sees('sending');
        await terminal.press('C-c', 'C-c');
        expect(await terminal.ended()).toBe(0);
        await terminal.sees('has not confirmed the cancel');
      } finally {
        server.signal('SIGCONT');
      }
    });

    it('shows what another client has begun in a new chat, and steers it', async () => {
      await start(['--chat', 'both']);
      const api = await server.api();
      await api.begin('both', { user_message: 'write 2000 words' });
      await terminal.enter('what is 2+3');
      await terminal.sees('Another message of this chat is at work');
      await terminal.sees('watch text arrive');
      await terminal.press('Enter');
      await terminal.sees('1 note sent');
      await terminal.press('Escape');
      await terminal.sees(/cancelled · [^]*ended before your note was read/);
    });

    it('keeps the agents at work in view', async () => {
      await start(['--yes']);
      await terminal.enter('call agent {"prompt":"write 3000 words"}');
      await terminal.sees('watch text arrive');
      await terminal.enter('/tree');
      await terminal.shows(/\n {2}react .*\n {4}react .* write 3000 words\n.+\n›/);
      await terminal.enter('/tree');
      await terminal.shows(/^(?![^]* {4}react )[^]*›/);
      await terminal.press('Escape');
      await terminal.sees('cancelled · ');
    });

    it('lets an answer go on in the background, and says when it ends', async () => {
      await start(['--chat', 'behind']);
      await terminal.enter('write 150 words');
      await terminal.sees('watch text arrive');
      await terminal.press('C-b');
      await terminal.sees('behind goes on in the background');
      await terminal.sees('write 150 words: completed.');
    });

    it('attaches files, completes names, and runs commands by the agent', async () => {
      await writeFile(join(folder, 'attached.txt'), 'one\ntwo\nthree\n');
      await start();
      await terminal.type(`hello @${folder}/atta`);
      await terminal.press('Tab');
      await terminal.enter('#2');
      await terminal.sees('with attached.lines-2-2.txt');
      await terminal.sees('completed · ');
      await terminal.type('/age');
      await terminal.press('Tab', 'Tab');
      await terminal.sees(/\/agent +\/agents/);
      await terminal.press('C-u');
      await terminal.type('/model d');
      await terminal.press('Tab', 'Enter');
      await terminal.sees('The next message goes to demo/script.');
      await terminal.enter('/model');
      await terminal.sees(/demo\/script +default[^]*The model is demo\/script\. [^]* of demo\./);
      await terminal.enter('!echo hello');
      await terminal.sees(/● bash echo hello[^]*a approve/);
      await terminal.press('a');
      await terminal.sees('└ hello');
    });

    it('goes on after the server was killed in the middle of a word, with nothing lost', async () => {
      await start(['--chat', 'survivor']);
      await terminal.enter('write 120 words');
      await terminal.sees('watch text arrive');
      await server.kill('SIGKILL');
      await terminal.sees('reconnecting');
      server = await ServerProcess.start(serverEnv);
      await terminal.sees('it goes on');
      const text = await terminal.sees('completed · ');
      const answer = text.slice(text.lastIndexOf('120 words, then.'));
      const words = answer.slice(0, answer.indexOf('completed ·')).trim().split(/\s+/);
      expect(words).toHaveLength(120 + '120 words, then.'.split(' ').length);
      await terminal.enter('what is 3*3');
      await terminal.sees('3*3 = 9');
    });

    it('keeps the scrollback: each line is printed once, in order', async () => {
      await start([], {}, { columns: 60, rows: 10 });
      await terminal.enter('call bash {"command":"seq 100 160"}');
      await terminal.sees('a approve');
      await terminal.press('a');
      const text = await terminal.sees('completed · ');
      const answer = text.slice(text.indexOf('It says:'));
      const numbers = Array.from({ length: 61 }, (_, index) => String(100 + index));
      expect(answer.match(/^ {2}\d{3}$/gm)).toEqual(numbers.map((number) => `  ${number}`));
      expect(text.match(/› call bash/g)).toHaveLength(1);
      expect(text.match(/May bash run\?/g)).toHaveLength(1);
    });

    it('fits 20 columns, and a window that changes its size', async () => {
      await start([], {}, { columns: 20, rows: 12 });
      await terminal.enter('what is 6*7');
      await terminal.sees('6*7 = 42');
      await terminal.sees('completed');
      await terminal.resize(60, 20);
      await terminal.enter('write 80 words');
      await terminal.sees('watch text arrive');
      await terminal.resize(30, 20);
      await terminal.sees(/completed ·[^]*completed ·/);
      for (const line of (await terminal.screen()).split('\n'))
        expect(line.length).toBeLessThanOrEqual(30);
    });

    it('shows hostile text as text', async () => {
      await start();
      const command = String.raw`printf '\\033[2J\\033]0;owned\\007\\342\\200\\256evil\\n'`;
      await terminal.enter(`call bash {"command":"${command}"}`);
      await terminal.sees('a approve');
      await terminal.press('a');
      const text = await terminal.sees('completed · ');
      expect(text).toContain('⟦U+202E⟧evil');
      expect(text).toContain('› call bash');
    });

    it('works line by line where the terminal can do nothing else', async () => {
      terminal = await TmuxTerminal.start([], { env: { ...env, TERM: 'dumb' } });
      await terminal.enter('call bash {"command":"echo plain"}');
      await terminal.sees(/May bash run\?[^]*a approve/);
      await terminal.enter('a');
      await terminal.sees(/└ plain[^]*completed · /);
      await terminal.enter('call bash {"command":"echo dull"}');
      await terminal.sees(/echo dull[^]*a approve/);
      await terminal.enter('remember');
      await terminal.sees('c in this chat');
      await terminal.enter('c');
      await terminal.sees('Remembered: allow in this chat: the command `echo dull`, exactly.');
    });
  });
