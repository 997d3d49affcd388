import { mkdir, chown } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { volumesOf } from './compose-rules.mjs';
import { runContainer, startContainer } from './container.mjs';
import { USER } from './image.mjs';
import { startNginx } from './nginx.mjs';

const POSTGRES = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const REDIS = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';
const HEARTBEAT_MS = 500;

/** The processes of compose.yaml, on a database of their own, with addresses of this host. */
export class Cluster {
  containers = new Map();

  constructor({ compose, image, folder, modelUrl }) {
    Object.assign(this, { services: compose.services, image, folder });
    this.overrides = {
      MODEL: 'openai/fake',
      OPENAI_BASE_URL: modelUrl,
      REDIS_URL: REDIS,
      HEARTBEAT_MS: String(HEARTBEAT_MS),
      LOG_LEVEL: 'warn',
    };
  }

  /** First the task that migrates, then the others at once, then nginx. */
  async start() {
    await mkdir(this.folder, { recursive: true });
    const { url, drop } = await createDatabase();
    this.overrides.DATABASE_URL = url;
    this.drop = drop;
    await runContainer(this.image, await this.#settingsOf('migrate'));
    await Promise.all(
      [...this.namesOf('api'), ...this.namesOf('worker')].map((name) => this.up(name)),
    );
    const upstreams = this.namesOf('api').map((name) => this.containers.get(name).port);
    this.nginx = await startNginx({ folder: join(this.folder, 'nginx'), upstreams });
    this.url = this.nginx.url;
    return this;
  }

  /** Names of services, as compose.yaml has them. */
  namesOf(role) {
    return Object.keys(this.services).filter(
      (name) => this.services[name].environment?.ROLE === role,
    );
  }

  /** Starts a service, where it was before if it ran. */
  async up(name) {
    const settings = await this.#settingsOf(name);
    const { port } = this.containers.get(name) ?? {};
    Object.assign(settings.environment, port && { PORT: port });
    const options = { name, folder: this.folder, ...settings };
    this.containers.set(name, await startContainer(this.image, options));
  }

  async stop() {
    const codes = await Promise.all([...this.containers.values()].map((each) => each.stop()));
    await this.nginx?.stop();
    await this.drop?.();
    return codes;
  }

  async #settingsOf(name) {
    const { command = [], environment } = this.services[name];
    const { PORT: _port, ...given } = { ...environment, ...this.overrides };
    return { command, environment: given, mounts: await this.#mountsOf(name) };
  }

  /** A volume is a folder, the same for all that have it. */
  async #mountsOf(name) {
    const mounts = {};
    for (const [volume, path] of volumesOf(this.services[name])) {
      mounts[path] = join(this.folder, 'volumes', volume);
      await mkdir(mounts[path], { recursive: true });
      if (USER) await chown(mounts[path], USER, USER);
    }
    return mounts;
  }
}

async function createDatabase() {
  const name = `parley_deployment_${randomUUID().replaceAll('-', '')}`;
  await ask(`CREATE DATABASE ${name}`);
  const url = new URL(POSTGRES);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => ask(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function ask(statement) {
  const client = new pg.Client(POSTGRES);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
