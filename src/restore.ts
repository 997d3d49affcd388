import { parseArgs } from 'node:util';
import { restore } from './backup/restore.js';
import { readConfig } from './config/config.module.js';
import { runProgram } from './run-program.js';

/** `npm run restore`: puts a backup into an empty place, and exits. */
await runProgram({
  usage: `Usage:
  npm run restore -- FILE
      puts a backup into the empty store, FILES_DIR and WORKSPACE_DIR that are configured`,
  readCommand() {
    const [path, ...rest] = parseArgs({ allowPositionals: true }).positionals;
    if (path === undefined || rest.length > 0) throw new Error('Name one file.');
    return path;
  },
  async run(path) {
    const { manifest, counts } = await restore(await readConfig(), path);
    const files = Math.max(0, (counts.get('files') ?? 0) - 1); // without the marker
    return `Restored the backup of ${manifest.created_at}: its store, files: ${files}, files of workspaces: ${counts.get('workspace') ?? 0}. Start the server.`;
  },
});
