import { backUp } from './backup/back-up.js';
import { readArguments, runProgram, VERSION } from './backup/program.js';

const USAGE = `Usage:
  npm run backup -- FILE [--without-workspaces]
      writes all that the server has saved into FILE, a tar.gz; the server may run`;

/** `npm run backup`: writes a backup, and exits. */
await runProgram(USAGE, (config) => {
  const { path, flags } = readArguments('without-workspaces');
  return async () => {
    const workspaces = !flags.has('without-workspaces');
    const counts = await backUp(await config(), { path, version: VERSION, workspaces });
    const { fileStore, encryptionKeys } = await config();
    const { rows, files, workspace_files } = counts;
    const notes = [
      fileStore === 's3' && 'Files in the bucket are not in it.',
      encryptionKeys &&
        `It is readable with ENCRYPTION_KEYS only, which are not in it: ${encryptionKeys.map(({ id }) => id).join(', ')}.`,
    ];
    return [
      `${path} is written. Rows: ${rows}, files: ${files}, files of workspaces: ${workspace_files}.`,
      ...notes.filter(Boolean),
    ].join('\n');
  };
});
