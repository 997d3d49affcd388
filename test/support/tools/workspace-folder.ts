import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadConfig } from '../../../src/config/load-config.js';
import { Workspaces } from '../../../src/workspace/workspaces.js';
import { openMemoryStores } from '../../../src/storage/memory/memory-stores.js';

/** A workspace that all chats share, in a folder with other things around it. */
export class WorkspaceFolder {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), 'parley-work-')));
  readonly config = loadConfig({
    DATA_DIR: join(this.base, 'data'),
    WORKSPACE_DIR: join(this.base, 'work'),
    WORKSPACE_MODE: 'shared',
  });
  readonly workspaces = new Workspaces(this.config, openMemoryStores().chats);

  constructor() {
    mkdirSync(this.at(''), { recursive: true });
  }

  at(path: string): string {
    return join(this.base, 'work', path);
  }

  write(files: Readonly<Record<string, string | Buffer>>): void {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(this.at(path)), { recursive: true });
      writeFileSync(this.at(path), content);
    }
  }

  remove(): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}
