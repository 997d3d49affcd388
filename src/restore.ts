import { readArguments, runProgram } from './backup/program.js';
import { restore } from './backup/restore.js';

const USAGE = `Usage:
  npm run restore -- FILE
      puts a backup into the empty store, FILES_DIR and WORKSPACE_DIR that are configured`;

/** `npm run restore`: puts a backup into an empty place, and exits. */
await runProgram(USAGE, (config) => {
  const { path } = readArguments();
  return async () => {
    const { manifest, counts } = await restore(await config(), path);
    const files = Math.max(0, (counts.get('files') ?? 0) - 1); // without the marker
    return `Restored the backup of ${manifest.created_at}: its store, files: ${files}, files of workspaces: ${counts.get('workspace') ?? 0}. Start the server.`;
  };
});
