import { rm } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requestFields } from '../support/client/request-fields.js';
import type { RequestField } from '../support/client/request-fields.js';
import { worstShapes } from '../support/client/worst-shapes.js';
import { ServerProcess } from '../support/server/server-process.js';
import { mainThreadTime } from '../support/server/main-thread.js';
import { some } from '../support/thoroughness.js';

/** CPU time of the main thread for one request, in calibrated milliseconds. */
const BUDGET = 100;
/** Fields that a shape is sent in, unless the run is exhaustive. */
const FIELDS = 4;

/** Takes about a minute: hundreds of bodies of 1 MiB. */
describe('the main thread', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cpu-budget-'));
  const fields = requestFields();
  let server: ServerProcess;
  let url: string;

  beforeAll(async () => {
    server = await ServerProcess.start({ DATA_DIR: folder, STORE: 'file' });
    ({ url } = await server.api());
    await Promise.all(Array.from({ length: 20 }, () => send(fields[0]!, '"a"')));
  });
  afterAll(async () => {
    await server.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  async function send({ method, path, wrap }: RequestField, json: string): Promise<void> {
    const at = path.replaceAll(/\{\w+\}/g, 'chat_1');
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const response = await fetch(url + at, { method, headers, body: wrap(json) });
    await response.arrayBuffer();
  }

  it('knows the fields of the bodies', () => {
    const names = fields.map(({ name }) => name.split(' ').slice(1).join(' '));
    expect(names).toContain('/chats messages');
    expect(names).toContain('/chats/{chat_id}/interactions client_tools.input_schema');
  });

  it.each(worstShapes())('takes no longer than the budget for %s', async (_, json) => {
    const slow: string[] = [];
    for (const field of some(fields, FIELDS)) {
      const work = () => send(field, json);
      const time = await mainThreadTime(server.pid, work, { most: BUDGET });
      if (time > BUDGET) slow.push(`${field.name}: ${Math.round(time)} ms`);
    }
    expect(slow).toEqual([]);
  });
});
