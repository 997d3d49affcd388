import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { USER } from './image.mjs';
import { freePort, run, start, until, within } from './processes.mjs';

/**
 * Starts the image's command as its user, on a free port of this host. `environment` is on top of
 * the image's; `mounts` maps a path of the image to a folder here. It is said to be up when its own
 * health check says so.
 */
export async function startContainer(image, { name, folder, environment = {}, mounts = {} }) {
  const port = environment.PORT ?? String(await freePort());
  const env = { ...environmentOf(image, { environment, mounts }), PORT: port };
  const log = join(folder, `${name}.log`);
  const file = await open(log, 'a');
  const [command, args] = asUser([...image.entrypoint, ...image.command]);
  const options = { cwd: join(image.root, image.directory), env };
  const { child, exited } = start(command, args, { ...options, stdio: ['ignore', file, file] });
  await file.close();
  const container = {
    name,
    port,
    log,
    url: `http://127.0.0.1:${port}`,
    exited,
    isHealthy: () => isHealthy(image, options),
    async stop() {
      child.kill(image.stopSignal);
      return within(60_000, `stopping ${name}`, exited);
    },
  };
  await untilUp(container);
  return container;
}

/** Runs another command of the image to its end. */
export async function runContainer(image, { command, environment, mounts }) {
  const [file, args] = asUser([...image.entrypoint, ...command]);
  const env = environmentOf(image, { environment, mounts });
  await run(file, args, { cwd: join(image.root, image.directory), env });
}

/**
 * The health check itself takes most of the time that this costs, so something cheaper is asked
 * first.
 */
async function untilUp(container) {
  let code;
  void container.exited.then((status) => (code = status));
  await until(`${container.name} doesn't answer: see ${container.log}`, async () => {
    if (code !== undefined)
      throw new Error(
        `${container.name} ends with ${code} at start\n${await readFile(container.log, 'utf8')}`,
      );
    const answer = await fetch(`${container.url}/health/live`).catch(() => undefined);
    return answer?.ok;
  });
}

function environmentOf(image, { environment, mounts = {} }) {
  const places = Object.fromEntries(image.volumes.map((path) => [path, join(image.root, path)]));
  const { PATH } = process.env;
  const given = { PATH, ...image.env, ...environment };
  const entries = Object.entries(given).map(([name, value]) => [
    name,
    mounts[value] ?? places[value] ?? value,
  ]);
  return Object.fromEntries(entries);
}

async function isHealthy(image, options) {
  const [command, args] = asUser(image.health);
  const { exited } = start(command, args, { ...options, stdio: 'ignore' });
  return (await within(30_000, 'the health check', exited)) === 0;
}

function asUser([command, ...args]) {
  if (!USER) return [command, args];
  const drop = [`--reuid=${USER}`, `--regid=${USER}`, '--clear-groups', '--no-new-privs'];
  return ['setpriv', [...drop, '--', command, ...args]];
}
