// Packs the server as `npm pack` does, after `npm run build`, and ships an example with it as
// docs/extending.md says: installs the tarball in an empty folder, compiles against its types,
// replays the Dockerfile of that page, and starts the result on both stores that need no service.
// Its command runs on this Node, and on those whose programs are arguments; also installed globally
// and by npx, as docs/terminal.md says. Prints what holds, and fails on the first that doesn't.
import { execFile } from 'node:child_process';
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startContainer } from './deployment/container.mjs';
import { expect, holds } from './deployment/holds.mjs';
import { buildImage } from './deployment/image.mjs';
import { inScratchFolder } from './deployment/in-scratch-folder.mjs';
import { freePort, run, start, until, within } from './deployment/processes.mjs';

const MAX_BYTES = 7_000_000;
const PAGE = 'docs/extending.md';
const TERMINAL_PAGE = 'docs/terminal.md';
const EXAMPLE = 'examples/custom-agent';
const MEMORY = resolve('node_modules/@modelcontextprotocol/server-memory/dist/index.js');
const HELPER = `---
name: helper
description: Helps.
---

You help.
`;
/** For programs of others, which import the package. */
const STRICT = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ verbatimModuleSyntax: true, module: 'nodenext', target: 'ES2023', noEmit: true },
};
const CLIENT_USE = `import { atSeq, createClient, fold, ParleyError } from 'parley/client';
import type { Conversation, StreamEvent } from 'parley/client';

export async function read(url: string, chat: string): Promise<Conversation | undefined> {
  const client = createClient({ url });
  let state: Conversation | undefined;
  for await (const event of client.start(chat, { user_message: 'Hi' })) state = fold(state, event);
  const { title, interactions } = await client.chats.get(chat);
  const status: string | undefined = interactions[0]?.status;
  if (title === null || !status) throw new ParleyError(404, 'none', 'There is none.');
  return state && atSeq(state, 1);
}

export function textOf(event: StreamEvent): string {
  switch (event.type) {
    case 'TEXT_DELTA':
      return event.delta;
    case 'ANSWER':
      return event.content;
    default:
      return event.interaction_id;
  }
}
`;
/** What is sent to which agent, and what one of the tools answers. */
const MESSAGES = [
  ['clerk', 'call count_stock {"item":"bread"}', 'bread: 3'],
  ['helper', 'what is 6*7', '42'],
  ['react', 'call python {"code":"print(6*7)"}', '42'],
  ['react', 'call mcp__memory__read_graph {}', '"entities": []'],
];

/** A PNG, and as many bytes after it as are too many to be shown. */
const LARGE_PNG = Buffer.concat([
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGP8zwAFTDAGAwATKQED8NgHhAAAAABJRU5ErkJggg==',
    'base64',
  ),
  Buffer.alloc(2 ** 20),
]);

const { version: VERSION } = JSON.parse(await readFile('package.json', 'utf8'));
const NODES = [process.execPath, ...process.argv.slice(2)];

await inScratchFolder('parley-package-', check);

async function check(scratch) {
  const shop = join(scratch, 'shop');
  const tarball = await holds('npm packs it', () => pack(join(shop, 'vendor')));
  await holds('the tarball has what runs, and nothing of this folder', () =>
    look(tarball, join(scratch, 'unpacked')),
  );
  await holds('a package installs it, as documented', () => makeShop(shop, tarball));
  const image = await buildImage({ folder: join(scratch, 'image'), source: shop });
  await holds('strict programs compile with its client, and with all that it exports', () =>
    compileUses(join(image.root, image.directory)),
  );
  const bin = await realpath(join(image.root, image.directory, 'node_modules/.bin/parley'));
  for (const node of NODES)
    await holds(`its command runs on ${node}`, () => runCommands([node, bin], scratch));
  const prefix = join(scratch, 'global');
  await holds('npm installs it globally, as documented', () => installGlobally(tarball, prefix));
  await holds('its global command runs', () => runCommands([join(prefix, 'bin/parley')], scratch));
  await holds('npx runs it, as documented', () => runByNpx(tarball, scratch));
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
  const options = {
    ...{ AUTH: 'none', ALLOWED_HOSTS: '*', MODEL: 'demo/script', ...environment },
    FILES_DIR: join(image.root, 'data', `files of ${name}`), // each database has its own
  };
  const container = await holds(`the package starts: ${name}`, () =>
    startContainer(image, { name, folder, environment: options }),
  );
  await holds('a browser gets the console', () => openPage(container));
  for (const message of MESSAGES)
    await holds(`${message[0]} answers ${message[1]}`, () => converse(container, message));
  await holds('a large image of a message is scaled down', () => showImage(container));
  const code = await container.stop();
  expect(code === 0, `it ends with ${code}: see ${container.log}`);
}

/** The client without anything of Node, the rest as servers use it. */
async function compileUses(folder) {
  const { exports } = JSON.parse(await readFile('package.json', 'utf8'));
  const all = Object.keys(exports).map(
    (path, index) => `export type * as export${index} from 'parley/${path.slice(2)}';`,
  );
  const web = { types: [], lib: ['ES2023', 'DOM', 'DOM.AsyncIterable'] };
  const typeRoots = [resolve('node_modules/@types')];
  const server = { types: ['node'], typeRoots, experimentalDecorators: true, skipLibCheck: true };
  await compile(join(folder, 'client-use'), CLIENT_USE, web);
  await compile(join(folder, 'export-use'), all.join('\n'), server);
}

async function compile(folder, source, options) {
  const compilerOptions = { ...STRICT, ...options };
  await mkdir(folder);
  await Promise.all([
    writeFile(join(folder, 'use.mts'), source),
    writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions })),
  ]);
  await run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', folder]);
}

/** By the command that the package installs, in a folder and a home that are empty. */
async function runCommands(parley, scratch) {
  const [home, port] = [await mkdtemp(join(scratch, 'home-')), String(await freePort())];
  const options = { cwd: home, env: { PATH: process.env.PATH, HOME: home } };
  await says([...parley, '--version'], VERSION, options);
  await says([...parley, 'demo'], 'completed', options); // with a server of its own
  const env = { ...options.env, PORT: port, DATA_DIR: join(home, 'data'), STORE: 'file' };
  const [program, ...args] = [...parley, 'serve'];
  const { child, exited } = start(program, args, { ...options, env, stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await until('parley serve is not ready', async () => {
    if (child.exitCode !== null) throw new Error(`parley serve ends with ${child.exitCode}`);
    return (await fetch(`${url}/health/ready`).catch(() => undefined))?.ok;
  });
  options.env.PARLEY_URL = url;
  await says([...parley, 'chat', 'what is 6*7'], '6*7 = 42', options);
  await says([...parley, 'doctor'], 'model', options);
  child.kill('SIGTERM');
  const code = await within(60_000, 'stopping parley serve', exited);
  expect(code === 0, `parley serve ends with ${code}`);
}

async function installGlobally(tarball, prefix) {
  const page = await readFile(TERMINAL_PAGE, 'utf8');
  for (const command of ['npm install -g', 'npx --package']) {
    const line = `${command} ./${basename(tarball)}`;
    expect(page.includes(line), `${TERMINAL_PAGE} lacks ${line}`);
  }
  await run('npm', ['install', '--global', '--prefix', prefix, '--prefer-offline', tarball]);
}

/** In an empty folder, with npm's cache of packages, but not with what npx has installed before. */
async function runByNpx(tarball, scratch) {
  const [cwd, cache] = [join(scratch, 'npx'), join(scratch, 'npx-cache')];
  await Promise.all([mkdir(cwd), mkdir(cache)]);
  const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'cache']);
  await symlink(join(stdout.trim(), '_cacache'), join(cache, '_cacache'));
  const npx = ['npx', '--yes', '--prefer-offline', '--package', tarball, 'parley', '--version'];
  await says(npx, VERSION, { cwd, env: { ...process.env, npm_config_cache: cache } });
}

async function says([program, ...args], expected, options) {
  const { stdout } = await promisify(execFile)(program, args, options);
  expect(stdout.includes(expected), `${args.join(' ')} says ${stdout}`);
}

/** As a browser opens the server, with the files that the page names. */
async function openPage({ url }) {
  const page = await fetch(url, { headers: { accept: 'text/html' } });
  const names = [...(await page.text()).matchAll(/(?:src|href)="(\.\/[^"]+)"/g)].map(
    ([, it]) => it,
  );
  expect(page.ok && names.length > 1, `${page.status} with ${names.length} files`);
  for (const name of names) {
    const { status } = await fetch(new URL(name, page.url));
    expect(status === 200, `${name}: ${status}`);
  }
}

async function showImage({ url }) {
  const body = new FormData();
  body.append('file', new Blob([LARGE_PNG]), 'large.png');
  const upload = await fetch(`${url}/files`, { method: 'POST', body });
  const { id } = await upload.json();
  const reply = await fetch(`${url}/chats/image/interactions?wait=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ agent: 'helper', user_message: 'Look', file_ids: [id] }),
  });
  const text = JSON.stringify(await reply.json());
  expect(text.includes('a smaller copy (image/jpeg, 3×2'), text);
}

async function converse({ url }, [agent, user_message, expected]) {
  const interactions = `${url}/chats/${crypto.randomUUID()}/interactions`;
  const reply = await fetch(interactions, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      ...{ agent, user_message, approval_mode: 'auto' },
      on_disconnect: 'continue',
    }),
  });
  let interaction = await reply.json();
  await until(`${user_message} does not end`, async () => {
    interaction = await (await fetch(`${interactions}/${interaction.id}`)).json();
    return interaction.completed_at !== null;
  });
  const { status, answer } = interaction;
  expect(status === 'COMPLETED' && answer?.includes(expected), `${status}: ${answer}`);
}
