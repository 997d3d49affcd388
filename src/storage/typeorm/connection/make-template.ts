import { mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TEMPLATE, listContents, setModes } from './embedded-database.js';
import { openDatabase } from './open-database.js';

// A step of `npm run build`: initializes a database and creates its tables, as a template
// for all data directories.
await rm(TEMPLATE, { recursive: true, force: true });
const dataDir = await mkdtemp(join(dirname(TEMPLATE), 'embedded-'));
const database = await openDatabase({ dataDir, migrate: true });
await database.query({ text: 'VACUUM FREEZE' }, []);
await database.query({ text: 'CHECKPOINT' }, []);
await database.close();
await listContents(join(dataDir, 'db'));
// It holds no data, and a server may run as another user than the build.
await setModes(join(dataDir, 'db'), { directories: 0o755, files: 0o644 });
await rename(join(dataDir, 'db'), TEMPLATE);
await rm(dataDir, { recursive: true });
