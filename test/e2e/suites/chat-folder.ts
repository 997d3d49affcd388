import { findUid } from '../../support/store/find-uid.js';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.js';
import { script } from '../../support/model/scripted-answers.js';
import type { Servers } from '../servers.js';
import { withPeople } from '../with-people.js';

export function describeChatFolder(servers: Servers): void {
  describe('Deleting a chat', () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-e2e-folder-')));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    const work = join(folder, 'work');
    const env = { PATH: process.env['PATH'], WORKSPACE_DIR: work, DATA_DIR: join(folder, 'data') };

    withPeople(servers, { ...env, SANDBOX: 'none' }, (server) => {
      it('stops the command that works in its folder, and removes the folder', async () => {
        const command = 'for i in 1 2 3; do echo $i > $i; done; echo ready; sleep 1000';
        const user_message = script({ calls: [{ name: 'bash', arguments: { command } }] });
        await server.api.begin('gone', { user_message, approval_mode: 'auto' });
        const own = join(work, await findUid(server.stores, 'gone'));
        await eventually(() => existsSync(join(own, '3')));
        expect((await server.api.delete('/chats/gone')).status).toBe(204);
        expect(existsSync(own)).toBe(false);
        expect((await server.api.get('/chats/gone')).status).toBe(404);
      });
    });
  });
}
