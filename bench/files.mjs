/**
 * Uploads and downloads a large file, and fails if the server's memory grows by more than
 * `LIMIT_MB` meanwhile (Linux only):
 *
 *   npm run bench:files -- [--megabytes 2048] [--encrypted]
 *
 * The peak of each transfer is that of the resident set (VmHWM), beyond what the server had after a
 * small one. What it wrote is deleted.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { describeComputer } from './machine.mjs';
import { productionCommand } from './production-command.mjs';
import { startServer } from './server.mjs';

const MB = 1024 * 1024;
const LIMIT_MB = 64;
const WARM_UP_MB = 200;
const BOUNDARY = 'bench';
const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n`;
const TAIL = `\r\n--${BOUNDARY}--\r\n`;

const ENCRYPTION_KEYS = `bench:${randomBytes(32).toString('base64')}`;

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '2048' },
    encrypted: { type: 'boolean', default: false },
  },
});
const megabytes = Number(values.megabytes);

console.log(`${describeComputer()}\n`);
const folder = await mkdtemp(join(tmpdir(), 'parley-bench-files-'));
const server = await startServer({
  command: productionCommand(),
  store: { env: { STORE: 'file', DATA_DIR: folder } },
  model: { port: 9 },
  env: { FILE_MAX_BYTES: String(megabytes * MB), ...(values.encrypted && { ENCRYPTION_KEYS }) },
  pinned: false,
});
try {
  await transfer(WARM_UP_MB);
  const grown = await transfer(megabytes, console.log);
  console.log(`\nLimit: ${LIMIT_MB} MB`);
  process.exitCode = grown < LIMIT_MB ? 0 : 1;
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Returns how much memory the worse of upload and download took, in megabytes. */
async function transfer(size_mb, tell = () => {}) {
  let file;
  const up = await measure(async () => (file = await upload(size_mb)));
  tell(`upload    ${size_mb} MB in ${up.seconds} s: ${up.grown_mb} MB more memory`);
  const down = await measure(() => download(file, size_mb));
  tell(`download  ${size_mb} MB in ${down.seconds} s: ${down.grown_mb} MB more memory`);
  await fetch(`${url()}/${file.id}`, { method: 'DELETE' });
  return Math.max(up.grown_mb, down.grown_mb);
}

async function measure(work) {
  await writeFile(`/proc/${server.pid}/clear_refs`, '5'); // resets the peak
  const before = await readKilobytes('VmRSS');
  const begun = performance.now();
  await work();
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  return { seconds, grown_mb: Math.round(((await readKilobytes('VmHWM')) - before) / 1024) };
}

async function readKilobytes(name) {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]);
}

function url() {
  return `http://127.0.0.1:${server.port}/files`;
}

async function upload(size_mb) {
  const length = HEAD.length + size_mb * MB + TAIL.length;
  const headers = {
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': String(length),
  };
  const sent = request(url(), { method: 'POST', headers });
  const answered = new Promise((resolve, reject) => {
    sent.on('response', (response) => void text(response).then(JSON.parse).then(resolve, reject));
    sent.on('error', reject);
  });
  await pipeline(Readable.from(form(size_mb)), sent);
  const file = await answered;
  if (file.size_bytes !== size_mb * MB) throw new Error(JSON.stringify(file));
  return file;
}

function* form(size_mb) {
  yield Buffer.from(HEAD);
  for (let n = 0; n < size_mb; n++) yield Buffer.alloc(MB, n);
  yield Buffer.from(TAIL);
}

async function download({ id }, size_mb) {
  const { body } = await fetch(`${url()}/${id}/content`);
  let size = 0;
  for await (const chunk of body) size += chunk.length;
  if (size !== size_mb * MB) throw new Error(`${size} bytes arrived.`);
}
