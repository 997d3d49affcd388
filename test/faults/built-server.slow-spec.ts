import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/server/made-once.js';
import { FILES } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

describe('The server that `npm run build` makes', () => {
  it('starts, answers, and stops in order', async () => {
    await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/build-if-stale.mjs')]);
    const data = await FILES.create();
    const server = await ServerProcess.start(data.env, [join(ROOT, 'dist/programs/main.js')]);
    const api = await server.api();
    expect((await api.get('/health/ready')).status).toBe(200);
    const reader = await api.say('built', 'Hi');
    expect(reader.records.at(-1)).toMatchObject({ status: 'COMPLETED' });
    expect(await server.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    await data.remove();
  });
});
