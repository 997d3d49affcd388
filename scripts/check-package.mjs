// Packs the server as `npm pack` does, after `npm run build`, and ships an example with it as
// docs/extending.md says: installs the tarball in an empty folder, compiles against its types,
// replays the Dockerfile of that page, and starts the result on both stores that need no service.
// Prints what holds, and fails on the first that doesn't.
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { startContainer } from './deployment/container.mjs';
import { expect, holds } from './deployment/holds.mjs';
import { buildImage } from './deployment/image.mjs';
import { inScratchFolder } from './deployment/in-scratch-folder.mjs';
import { run } from './deployment/processes.mjs';

const MAX_BYTES = 7_000_000;
const PAGE = 'docs/extending.md';
const EXAMPLE = 'examples/custom-agent';
const MEMORY = resolve('node_modules/@modelcontextprotocol/server-memory/dist/index.js');
const HELPER = `---
name: helper
description: Helps.
---

You help.
`;
/** What is sent to which agent, and what one of the tools answers. */
const MESSAGES = [
  ['clerk', 'call count_stock {"item":"bread"}', 'bread: 3'],
  ['helper', 'what is 6*7', '42'],
  ['react', 'call python {"code":"print(6*7)"}', '42'],
  ['react', 'call mcp__memory__read_graph {}', '"entities": []'],
];

await inScratchFolder('parley-package-', check);

async function check(scratch) {
  const shop = join(scratch, 'shop');
  const tarball = await holds('npm packs it', () => pack(join(shop, 'vendor')));
  await holds('the tarball has what runs, and nothing of this folder', () =>
    look(tarball, join(scratch, 'unpacked')),
  );
  await holds('a package installs it, as documented', () => makeShop(shop, tarball));
  const image = await buildImage({ folder: join(scratch, 'image'), source: shop });
  await tryOn(image, { name: 'embedded database', scratch });
  await tryOn(image, { name: 'files', scratch, environment: { STORE: 'file' } });
}

/** What `prepack` builds is there already. */
async function pack(folder) {
  await mkdir(folder, { recursive: true });
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]);
  const [name] = await readdir(folder);
  return join(folder, name);
}

async function look(tarball, folder) {
  await mkdir(folder);
  await run('tar', ['-xzf', tarball, '-C', folder]);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((it) => it.isFile()).map((it) => join(it.parentPath, it.name));
  const faults = paths.filter((path) => /[./]spec\.|\.[jt]s\.map$|(?<!\.d)\.ts$/.test(path));
  const here = Buffer.from(resolve('.'));
  let bytes = 0;
  for (const path of paths) {
    const content = await readFile(path);
    bytes += content.length;
    if (content.includes(here)) faults.push(`${path} names the folder of the build`);
  }
  expect(faults.length === 0, faults.join('\n'));
  const { length } = await readFile(tarball);
  expect(length < MAX_BYTES, `the tarball has ${length} bytes`);
  console.log(`     ${paths.length} files, ${length} bytes packed, ${bytes} unpacked`);
}

async function makeShop(shop, tarball) {
  await cp(EXAMPLE, shop, {
    recursive: true,
    filter: (path) => !/[/\\](node_modules|dist|package-lock\.json)$/.test(path),
  });
  const manifest = JSON.parse(await readFile(join(shop, 'package.json'), 'utf8'));
  manifest.dependencies.parley = `file:vendor/${basename(tarball)}`;
  const page = await readFile(PAGE, 'utf8');
  expect(page.includes(`./vendor/${basename(tarball)}`), `${PAGE} installs another tarball`);
  const mcpServers = { memory: { command: 'node', args: [MEMORY], trust: true } };
  await mkdir(join(shop, 'agents'));
  await Promise.all([
    writeFile(join(shop, 'package.json'), JSON.stringify(manifest)),
    writeFile(join(shop, 'Dockerfile'), /```dockerfile\n(.*?)```/s.exec(page)[1]),
    writeFile(join(shop, '.dockerignore'), 'node_modules\ndist\ndata\nworkspace\n.env\n'),
    writeFile(join(shop, 'agents/helper.md'), HELPER),
    writeFile(join(shop, 'mcp.json'), JSON.stringify({ mcpServers })),
  ]);
  await run('npm', ['install', '--package-lock-only', '--prefer-offline'], { cwd: shop });
}

async function tryOn(image, { name, scratch, environment }) {
  const folder = join(scratch, name);
  await mkdir(folder);
  const options = { AUTH: 'none', ALLOWED_HOSTS: '*', MODEL: 'demo/script', ...environment };
  const container = await holds(`the package starts: ${name}`, () =>
    startContainer(image, { name, folder, environment: options }),
  );
  for (const message of MESSAGES)
    await holds(`${message[0]} answers ${message[1]}`, () => converse(container, message));
  const code = await container.stop();
  expect(code === 0, `it ends with ${code}: see ${container.log}`);
}

async function converse({ url }, [agent, user_message, expected]) {
  const reply = await fetch(`${url}/chats/${crypto.randomUUID()}/interactions?wait=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ agent, user_message, approval_mode: 'auto' }),
  });
  const { status, answer } = await reply.json();
  const isRight = status === 'COMPLETED' && answer?.includes(expected);
  expect(isRight, `${reply.status} ${status}: ${answer}`);
}
