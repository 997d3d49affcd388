import { findUid } from '../../support/store/find-uid.js';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProcesses } from '../../support/server/find-processes.js';
import type { Following } from '../../support/store/following.js';
import { SANDBOXES } from '../../support/tools/sandboxes.js';
import { script } from '../../support/model/scripted-answers.js';
import { eventually } from '../../support/eventually.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

const bash = (command: string, more: object = {}) =>
  script({ calls: [{ name: 'bash', arguments: { command, ...more } }] });

export function describeBash(servers: Servers): void {
  for (const sandbox of SANDBOXES) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-e2e-work-')));
    const env = {
      ...{ PATH: process.env['PATH'], OPENAI_ORG: 'a-secret' },
      ...{ WORKSPACE_DIR: join(folder, 'work'), DATA_DIR: join(folder, 'data') },
      SANDBOX: sandbox.name === 'none' ? 'none' : 'bwrap',
      TOOL_OUTPUT_LIMIT: '2000',
    };

    (sandbox.fault ? describe.skip : describe)(
      `The tool bash with the sandbox ${sandbox.name}`,
      () => {
        afterAll(() => rmSync(folder, { recursive: true, force: true }));

        withPeople(servers, env, (server, person) => {
          let chats = 0;
          /** Each test has a chat of its own on each store. */
          const chat = (name: string) => `${name}-${++chats}`;
          const approve = async (following: Following) => {
            const { approval_id } = await following.record('APPROVAL_REQUIRED');
            await person.approve(following.of, approval_id);
          };
          const run = async (of: string, command: string, more: object = {}) => {
            const following = await person.say(of, bash(command, more));
            await approve(following);
            const reader = await following.end();
            expect(reader.faults).toEqual([]);
            return reader.find('TOOL_RESULT')!;
          };

          it('asks first, says what would run and how it is confined, and answers what was printed', async () => {
            const of = chat('first');
            const following = await person.say(
              of,
              bash('echo one; echo two >&2; pwd > where; exit 3'),
            );
            expect(await following.record('APPROVAL_REQUIRED')).toMatchObject({
              tool_name: 'bash',
              category: 'execute',
              risk: 'high',
              action: expect.stringMatching(
                sandbox.name === 'none' ? /no sandbox.*echo one/s : /bubblewrap.*echo one/s,
              ),
            });
            expect(following.reader.types).not.toContain('TOOL_STARTED');
            await approve(following);
            const reader = await following.end();
            expect(reader.find('TOOL_RESULT')).toMatchObject({
              tool_output: 'one\ntwo\n[exit code 3]',
              is_error: true,
            });
            const where = join(folder, 'work', await findUid(server.stores, of));
            expect(await readFile(join(where, 'where'), 'utf8')).toBe(`${where}\n`);
          });

          it('does not write into .git over a link, which nobody can see in the command', async () => {
            const of = chat('links');
            await run(of, 'mkdir -p .git/hooks && ln -s .git g && echo exit > e.sh');
            const { tool_output, is_error } = await run(of, 'cp e.sh g/hooks/post-checkout');
            expect(tool_output).toMatch(
              /"g\/hooks\/post-checkout" is refused: it leads over a link to .git/,
            );
            expect(is_error).toBe(true);
            expect((await run(of, 'ls .git/hooks')).tool_output).toMatch(/^\(no output\)/);
          });

          it('runs what was approved, not what was asked for', async () => {
            const following = await person.say(chat('changed'), bash('echo asked'));
            const { approval_id } = await following.record('APPROVAL_REQUIRED');
            const modified_input = { command: 'echo approved' };
            await person.approve(following.of, approval_id, { modified_input });
            const reader = await following.end();
            expect(reader.find('TOOL_RESULT')!.tool_output).toBe('approved\n[exit code 0]');
          });

          it('passes on no secret of the server', async () => {
            const { tool_output } = await run(chat('environment'), 'env');
            expect(tool_output).not.toMatch(/secret|OPENAI|sk-/);
          });

          it('stops what takes too long', async () => {
            const { tool_output, is_error } = await run(chat('late'), 'sleep 1000', {
              timeout_ms: 1,
            });
            const expected = '(no output)\n[The command took longer than 1 ms and was stopped.]';
            expect([tool_output, is_error]).toEqual([expected, true]);
          });

          it('shows head and tail of much output', async () => {
            const { tool_output, truncated } = await run(chat('much'), 'seq 1 200000');
            expect(truncated).toBe(true);
            expect(tool_output.length).toBeLessThan(2_100);
            expect(tool_output).toMatch(
              /^1\n2\n3\n.*more than \d+ characters cut.*\n199999\n200000\n\[exit code 0\]$/s,
            );
          });

          it('keeps what is not shown of its output, for read to open', async () => {
            const id = `seq-${++chats}`;
            const seq = { id, name: 'bash', arguments: { command: 'seq 1 3000' } };
            const path = `.parley/outputs/${id}.txt`;
            const read = { name: 'read', arguments: { path, offset: 1500, limit: 2 } };
            const following = await person.say(
              chat('kept'),
              script({ calls: [seq] }, { calls: [read] }),
            );
            await approve(following);
            const [cut, opened] = (await following.end()).list('TOOL_RESULT');
            expect(cut!.tool_output).toContain(`to see them, open ${path} with the tool read`);
            expect(cut!.tool_output.length).toBeLessThanOrEqual(2_000);
            expect(opened!.tool_output).toMatch(/^ *1500\t1500\n *1501\t1501\n/);
          });

          it('streams its output, and a cancel in the middle leaves nothing running (I7)', async () => {
            const sleep = `sleep 2${Math.random().toString().slice(2, 10)}`;
            const command = `echo on; (setsid ${sleep} &); trap '' TERM; ${sleep}; ${sleep}`;
            const following = await person.say(chat('cancelled'), bash(command));
            await approve(following);
            await eventually(() =>
              following.frames.some(({ event }) => event === 'tool_output_delta'),
            );
            await eventually(async () => (await findProcesses(sleep)).length > 0);
            const reply = await person.cancel(following.of, '?wait=true');
            expect(await findProcesses(sleep)).toEqual([]);
            const reader = await following.end();
            expect(reply.body).toMatchObject({
              status: 'CANCELLED',
              stopped: [{ kind: 'tool', name: 'bash', state: 'stopped' }],
            });
            expect(reader.faults).toEqual([]);
          });

          it('says which sandbox is in force', async () => {
            const { body } = await server.api.get('/health/ready');
            const kind = sandbox.name;
            expect(body.sandbox).toEqual({
              kind,
              description: expect.stringContaining(kind === 'none' ? 'no sandbox' : kind),
            });
          });
        });
      },
    );
  }
}
