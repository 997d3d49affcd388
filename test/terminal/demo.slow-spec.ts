import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { parley, startParley } from '../support/terminal/parley.js';

/** Each of these starts a server. */
describe('parley demo', () => {
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'parley-demo-test-'))));
  // A server that has stopped answering may still be saving something.
  afterAll(() => rm(folder, { recursive: true, maxRetries: 20 }));

  const environment = () => ({ HOME: folder, TMPDIR: folder, MODEL: 'demo/script', STORE: 'file' });

  it('shows a whole conversation, and leaves nothing', async () => {
    const { code, stdout, stderr } = await parley(['demo'], { env: environment() });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const part of [
      '12 * 9 + 3 = 111',
      '✓ approved as {"expression":"6 * 7 * 10"}',
      '✗ rejected: You know that one.',
      'ask_human says: blue',
      'connection cut; back with the cursor 1~',
      'The chat holds 6 interactions.',
    ])
      expect(stdout).toContain(part);
    expect(await readdir(folder)).toEqual([]);
    await expectAsInReadme(stdout);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGKILL', null],
  ] as const)('stops its server when it ends by %s', async (signal, code) => {
    const { child } = await startParley(['demo'], { env: environment() });
    const [piece] = (await once(child.stdout, 'data')) as [Buffer];
    const [, url = ''] = /ready at (\S+)/.exec(String(piece)) ?? [];
    expect((await fetch(`${url}/health/live`)).ok).toBe(true);
    child.stdout.resume();
    child.kill(signal);
    expect((await once(child, 'exit'))[0]).toBe(code);
    await eventually(async () => {
      const answer = await fetch(`${url}/health/live`).catch(() => undefined);
      return answer === undefined;
    });
  });
});

/** README shows these lines, some of them cut at `…`; times and the like differ. */
async function expectAsInReadme(output: string): Promise<void> {
  const readme = await readFile('README.md', 'utf8');
  const [, shown = ''] = /\n```\n(› What is 6 \* 7[^]*?)\n› /.exec(readme) ?? [];
  const stable = (text: string): string =>
    text.replace(/\d[\d.]* m?s\b|[\d,]+ (?:in|out)\b|(?<=cursor )\S+/g, '');
  const pieces = stable(shown)
    .split(/ …\n|\n/)
    .filter((line) => line.trim() !== '');
  expect(pieces.length).toBeGreaterThan(8);
  let rest = stable(output).replace(/\n\s*/g, '\n');
  for (const piece of pieces) {
    const at = rest.indexOf(piece.trim());
    expect({ piece, isThere: at >= 0 }).toEqual({ piece, isThere: true });
    rest = rest.slice(at);
  }
}
