import { move } from './backup/move.js';
import { readTarget, runProgram } from './backup/program.js';

const USAGE = `Usage:
  npm run move -- --to postgres://user:password@host:5432/name
      copies the embedded database, or the files of STORE=file, into an empty Postgres database`;

/** `npm run move`: copies a store to Postgres, and exits. */
await runProgram(USAGE, (config) => {
  const url = readTarget();
  return async () => {
    const rows = await move(await config(), url);
    return `${rows} rows were copied. Start the server with DATABASE_URL, without STORE=file, and with the same DATA_DIR, FILES_DIR and WORKSPACE_DIR. Remove the former store once you have checked it.`;
  };
});
