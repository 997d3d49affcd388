import { chmod, chown, cp, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { readContextFilter } from './docker-context.mjs';
import { readDockerfile } from './dockerfile.mjs';
import { holds } from './holds.mjs';
import { run } from './processes.mjs';

/** Who runs in the container: nobody, which every system has. */
export const USER = process.getuid() === 0 ? 65_534 : undefined;

/**
 * Replays the Dockerfile in a folder, one sub-folder a stage: what it copies, and what it runs with
 * npm. Programs of the system are not installed. `source` is the folder of the Dockerfile; the
 * packages of this one are installed here already, and its build has those. Answers what an image
 * knows: `{ root, env, command, health, user, … }`.
 */
export async function buildImage({ folder, source = '.' }) {
  const stages = await readDockerfile(join(source, 'Dockerfile'));
  const isSent = await readContextFilter(join(source, '.dockerignore'));
  const built = new Map();
  const build = (stage) => buildStage(stage, { built, isSent, folder, source });
  const [base, ...others] = stages;
  await holds('the Dockerfile builds, with npm', async () => {
    requireRunning(base.from, JSON.parse(await readFile('package.json', 'utf8')));
    built.set(base.name, await build(base));
    const last = others.pop();
    const images = await Promise.all(others.map(build));
    others.forEach(({ name }, index) => built.set(name, images[index]));
    built.set('last', await build(last));
  });
  return built.get('last');
}

/** The base has to be a Node that the server runs on. */
function requireRunning(base, { engines }) {
  const [, major] = /^node:(\d+)[\w.-]*-slim$/.exec(base) ?? [];
  const [, least] = /^>=(\d+)/.exec(engines.node);
  if (!major || Number(major) < Number(least))
    throw new Error(`the base ${base} is not a slim Node that fits ${engines.node}`);
}

async function buildStage({ from, name, steps }, { built, isSent, folder, source }) {
  const root = join(folder, name);
  const below = built.get(from);
  await mkdir(root, { recursive: true });
  if (below) await cp(below.root, root, { recursive: true, verbatimSymlinks: true });
  const image = { env: {}, directory: '/', ...below, root };
  for (const step of steps) {
    const act = ACTS[step.keyword];
    if (!act) throw new Error(`${step.keyword} can't be replayed`);
    await act(image, step, { built, isSent, source });
  }
  return image;
}

const ACTS = {
  async WORKDIR(image, { text }) {
    image.directory = text;
    await mkdir(join(image.root, text), { recursive: true });
  },
  COPY: (image, { flags, words }, { built, ...context }) =>
    copy(image, words, flags.from ? fromStage(built.get(flags.from)) : fromContext(context)),
  async RUN(image, { text }, { source }) {
    if (text.startsWith('npm ')) await runNpm(image, text, source);
    else if (text.startsWith('install -d -o node -g node ')) await makeFolders(image, text);
    else if (!text.startsWith('apt-get ')) throw new Error(`RUN ${text} can't be replayed`);
  },
  ENV(image, { words }) {
    image.env = { ...image.env, ...Object.fromEntries(words.map((word) => word.split('='))) };
  },
  USER: (image, { text }) => void (image.user = text),
  VOLUME: (image, { words }) => void (image.volumes = words),
  EXPOSE: (image, { text }) => void (image.port = text),
  STOPSIGNAL: (image, { text }) => void (image.stopSignal = text),
  ENTRYPOINT: (image, { text }) => void (image.entrypoint = execForm(text)),
  CMD: (image, { text }) => void (image.command = execForm(text)),
  HEALTHCHECK: (image, { text }) => void (image.health = execForm(text.replace(/^CMD /, ''))),
};

/** A shell would be process 1, and keep the signal to itself. */
function execForm(text) {
  if (!text.startsWith('[')) throw new Error(`${text} is not in exec form`);
  return JSON.parse(text);
}

function fromStage({ root }) {
  return { find: (path) => join(root, path), isSent: () => true };
}

function fromContext({ isSent, source }) {
  return {
    find: (path) => join(source, path),
    isSent: (path) => isSent(relative(source, path)),
  };
}

async function copy({ root, directory }, words, { find, isSent }) {
  const [to, ...sources] = words.toReversed();
  const target = join(root, resolve(directory, to));
  for (const source of sources.map(find)) {
    if (!isSent(source)) throw new Error(`COPY ${source}: .dockerignore leaves it out`);
    const path = to.endsWith('/') ? join(target, source.split('/').at(-1)) : target;
    await mkdir(dirname(path), { recursive: true });
    await cp(source, path, { recursive: true, verbatimSymlinks: true, filter: isSent });
  }
}

/** Code of packages must not run while the image is built. */
async function runNpm({ root, directory }, command, source) {
  if (/^npm (?:ci|i|install)\b(?!.* --ignore-scripts\b)/.test(command))
    throw new Error(`RUN ${command} lacks --ignore-scripts`);
  const cwd = join(root, directory);
  // The whole set is here already, from the same lock file.
  if (source === '.' && /^npm ci(?!.*--omit)/.test(command))
    return symlink(resolve('node_modules'), join(cwd, 'node_modules'));
  const { PATH, HOME } = process.env;
  return run('sh', ['-c', command], { cwd, env: { PATH, HOME } });
}

async function makeFolders({ root }, command) {
  for (const path of command.split(' ').filter((word) => word.startsWith('/'))) {
    await rm(join(root, path), { recursive: true, force: true });
    await mkdir(join(root, path), { recursive: true });
    await chmod(join(root, path), Number.parseInt(/ -m (\d+) /.exec(command)?.[1] ?? '755', 8));
    if (USER) await chown(join(root, path), USER, USER);
  }
}
