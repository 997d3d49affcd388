// Starts the built server on this Node with an empty folder, asks it for its health and for the
// console, and stops it as a process manager would. Prints what holds, and fails on the first that
// doesn't.
import { join } from 'node:path';
import { expect, holds } from './deployment/holds.mjs';
import { inScratchFolder } from './deployment/in-scratch-folder.mjs';
import { freePort, start, until } from './deployment/processes.mjs';

await inScratchFolder('parley-boot-', async (scratch) => {
  const port = await freePort();
  const { child, exited } = start(process.execPath, ['dist/programs/main.js'], {
    env: { ...process.env, PORT: String(port), DATA_DIR: join(scratch, 'data'), DATABASE_URL: '' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const answers = async (path) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
    await response?.body?.cancel();
    return response?.ok ?? false;
  };
  await holds(`the built server is ready on Node ${process.versions.node}`, () =>
    until('the server is not ready', () => {
      expect(child.exitCode === null, `the server ended with ${child.exitCode}`);
      return answers('/health/ready');
    }),
  );
  await holds('it serves the console', async () => {
    expect(await answers('/console/'), '/console/ is not served');
  });
  await holds('it answers, with a tool that has files of its own', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/chats/boot/interactions?wait=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        user_message: 'call python {"code": "print(6 * 7)"}',
        approval_mode: 'auto',
      }),
    });
    const text = await response.text();
    expect(response.ok && JSON.parse(text).answer?.includes('42'), `it answered ${text}`);
  });
  await holds('it ends with 0 after SIGTERM', async () => {
    child.kill('SIGTERM');
    const code = await exited;
    expect(code === 0, `it ended with ${code}`);
  });
});
