import { execFileSync } from 'node:child_process';
import { link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Folder } from '../../src/workspace/folder.js';
import { Workspace } from '../../src/workspace/workspace.js';
import type { Attack } from './attacks.js';

export const SECRET = 'the secret that nobody may read';

/** A workspace with secrets all around it. */
export class AttackedWorkspace {
  private constructor(
    readonly base: string,
    readonly workspace: Workspace,
  ) {}

  static async make(byDescriptor?: boolean): Promise<AttackedWorkspace> {
    const base = await realpath(await mkdtemp(join(tmpdir(), 'parley-attack-')));
    for (const folder of ['work/a', 'workspace2', 'work2', 'outside']) {
      await mkdir(join(base, folder), { recursive: true });
      if (!folder.startsWith('work/')) await writeFile(join(base, folder, 'secret.txt'), SECRET);
    }
    await writeFile(join(base, 'secret.txt'), SECRET);
    await writeFile(join(base, 'work/inside.txt'), 'inside');
    return new AttackedWorkspace(
      base,
      new Workspace(await Folder.openRoot(join(base, 'work'), byDescriptor)),
    );
  }

  at(name: string): string {
    return join(this.base, 'work', name);
  }

  async prepare({ links = {}, special = {} }: Attack): Promise<void> {
    for (const [name, kind] of Object.entries(special)) await this.makeSpecial(name, kind);
    for (const [name, target] of Object.entries(links))
      await symlink(target.replace('<base>', this.base), this.at(name));
  }

  async close(): Promise<void> {
    await this.workspace.close();
    await rm(this.base, { recursive: true, force: true });
  }

  private async makeSpecial(name: string, kind: 'fifo' | 'socket' | 'hard'): Promise<void> {
    switch (kind) {
      case 'fifo':
        execFileSync('mkfifo', [this.at(name)]);
        break;
      case 'hard':
        await link(join(this.base, 'secret.txt'), this.at(name));
        break;
      case 'socket': {
        const server = createServer().listen(this.at('socket')).unref();
        await once(server, 'listening');
        execFileSync('mv', [this.at('socket'), this.at(name)]);
        server.close();
      }
    }
  }
}
