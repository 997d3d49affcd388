import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT_DIGEST, DIGEST_BYTES, prepare } from './prepared.js';

// A step of `npm run build`: the digest of the snapshot that every process on this version of Node
// takes.
await rm(BUILT_DIGEST, { force: true });
const folder = await mkdtemp(join(tmpdir(), 'parley-snapshot-'));
const running = setInterval(() => {}, 60_000); // an idle interpreter doesn't keep the process alive
await prepare(folder);
clearInterval(running);
const file = await readFile(join(folder, 'python-snapshot'));
await writeFile(BUILT_DIGEST, file.subarray(0, DIGEST_BYTES));
await rm(folder, { recursive: true });
