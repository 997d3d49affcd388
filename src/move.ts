import { parseArgs } from 'node:util';
import { move } from './backup/move.js';
import { readConfig } from './config/config.module.js';
import { runProgram } from './run-program.js';

/** `npm run move`: copies a store to Postgres, and exits. */
await runProgram({
  usage: `Usage:
  npm run move -- --to postgres://user:password@host:5432/name
      copies the embedded database, or the files of STORE=file, into an empty Postgres database`,
  readCommand() {
    const { to } = parseArgs({ options: { to: { type: 'string' } } }).values;
    if (to === undefined || !/^postgres(ql)?:\/\//.test(to))
      throw new Error('--to has to name a database: postgres://…');
    return to;
  },
  async run(url) {
    const rows = await move(await readConfig(), url);
    return `${rows} rows were copied. Start the server with DATABASE_URL, without STORE=file, and with the same DATA_DIR, FILES_DIR and WORKSPACE_DIR. Remove the former store once you have checked it.`;
  },
});
