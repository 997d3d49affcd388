import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { backUp } from './backup/back-up.js';
import { readConfig } from './config/config.module.js';
import { PACKAGE_ROOT } from './kernel/disk/package-root.js';
import { runProgram } from './run-program.js';

const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as {
  version: string;
};

/** `npm run backup`: writes a backup, and exits. */
await runProgram({
  usage: `Usage:
  npm run backup -- FILE [--without-workspaces]
      writes all that the server has saved into FILE, a tar.gz; the server may run`,
  readCommand() {
    const options = { 'without-workspaces': { type: 'boolean', default: false } } as const;
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [path, ...rest] = positionals;
    if (path === undefined || rest.length > 0) throw new Error('Name one file.');
    return { path, version, workspaces: !values['without-workspaces'] };
  },
  async run(options) {
    const config = await readConfig();
    const { rows, files, workspace_files } = await backUp(config, options);
    const { fileStore, encryptionKeys } = config;
    const notes = [
      fileStore === 's3' && 'Files in the bucket are not in it.',
      encryptionKeys &&
        `It is readable with ENCRYPTION_KEYS only, which are not in it: ${encryptionKeys.map(({ id }) => id).join(', ')}.`,
    ];
    return [
      `${options.path} is written. Rows: ${rows}, files: ${files}, files of workspaces: ${workspace_files}.`,
      ...notes.filter(Boolean),
    ].join('\n');
  },
});
