import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { milliseconds } from './compose.mjs';
import { findNginxFaults } from './nginx-rules.mjs';
import { unless } from './unless.mjs';

/** What a service of ours may say; anything else is more likely a slip than a wish. */
const KEYS = new Set(
  `image build init restart stop_grace_period cap_drop security_opt env_file depends_on environment networks pids_limit
  volumes ports healthcheck command user read_only tmpfs profiles secrets`.split(/\s+/),
);
/** Published: the API, and the dashboard on this host. */
const PUBLISHED = ['nginx', 'grafana'];
const CONDITIONS = ['service_healthy', 'service_completed_successfully'];

/**
 * Everything in which compose.yaml contradicts the server's configuration, the image, nginx.conf or
 * itself; one sentence each.
 */
export async function findComposeFaults(compose, image) {
  const { environment } = await import(
    pathToFileURL(join(image.root, 'app/dist/src/config/schema.js'))
  );
  const nginx = await readFile('deploy/nginx.conf', 'utf8');
  const page = await readFile('docs/deployment.md', 'utf8');
  const ours = Object.entries(compose.services).filter(([, service]) => service.build);
  return [
    ...Object.entries(compose.services).flatMap(([name, of]) => faultsOf(name, of, compose)),
    ...ours.flatMap(([name, service]) => faultsOfOurs(name, service, environment)),
    ...findNginxFaults({ compose, nginx, image, defaults: environment.parse({}) }),
    ...faultsOfRedis(compose.services),
    ...faultsOfSecrets(compose),
    ...[...compose.variables]
      .filter((variable) => !page.includes(variable))
      .map((variable) => `docs/deployment.md doesn't say what ${variable} is`),
    ...faultsOfData(ours),
  ];
}

function faultsOf(name, service, { services, networks, volumes, secrets }) {
  const { healthcheck, depends_on = {}, restart } = service;
  const isTask = restart === 'no';
  const isChecked = healthcheck?.test || (service.profiles && healthcheck?.disable);
  return [
    ...Object.keys(service)
      .filter((key) => !KEYS.has(key))
      .map((key) => `${name} has ${key}, which no rule knows`),
    ...unless(isTask || service.build || isChecked, `${name} has no health check`),
    ...unless(isTask || restart === 'unless-stopped', `${name} is not started again`),
    ...Object.entries(depends_on).flatMap(([other, { condition }]) => [
      ...unless(services[other], `${name} waits for ${other}, which is none`),
      ...unless(CONDITIONS.includes(condition), `${name} waits for ${other} for no reason`),
    ]),
    ...service.networks
      .filter((network) => !(network in networks))
      .map((network) => `${name} is in the network ${network}, which is none`),
    ...volumesOf(service)
      .filter(([volume]) => !volume.startsWith('./') && !(volume in volumes))
      .map(([volume]) => `${name} has the volume ${volume}, which is none`),
    ...(service.secrets ?? [])
      .filter((secret) => !(secret in secrets))
      .map((secret) => `${name} has the secret ${secret}, which is none`),
    ...unless(PUBLISHED.includes(name) || !service.ports, `${name} is published, but may not be`),
    ...unless(
      name !== 'grafana' || service.ports.every((port) => port.startsWith('127.0.0.1:')),
      'grafana is published to other hosts',
    ),
  ];
}

function faultsOfOurs(name, service, known) {
  const grace = milliseconds(service.stop_grace_period);
  const { SHUTDOWN_GRACE_MS } = service.environment;
  const { error } = known.safeParse(service.environment);
  return [
    ...Object.keys(service.environment)
      .filter((variable) => !(variable in known.shape))
      .map((variable) => `${name} sets ${variable}, which the server doesn't know`),
    ...(error?.issues ?? []).map(({ path, message }) => `${name}: ${path.join('.')} ${message}`),
    ...unless(
      grace > Number(SHUTDOWN_GRACE_MS),
      `${name} is killed after ${grace} ms, but may take ${SHUTDOWN_GRACE_MS} ms to stop`,
    ),
    ...unless(
      service.environment.MIGRATE === 'false',
      `${name} migrates, but the task migrate does`,
    ),
  ];
}

function faultsOfRedis({ redis }) {
  const said = redis.command.join(' ');
  return [
    ...unless(said.includes('--maxmemory-policy noeviction'), 'redis may throw jobs away'),
    ...unless(said.includes('--save  --appendonly no'), 'redis saves what nobody needs'),
    ...unless(said.includes('--requirepass of-redis'), 'redis lets everybody in'),
  ];
}

/** Every password is asked for, and has no default. */
function faultsOfSecrets({ raw }) {
  const asked = [...JSON.stringify(raw).matchAll(/\$\{(\w*(?:PASSWORD|KEY|SECRET)\w*)(:.)?/g)];
  return asked
    .filter(([, , operator]) => operator !== ':?')
    .map(([, name]) => `${name} has a default`);
}

/** Two processes that share a DATA_DIR would save each other's records. */
function faultsOfData(ours) {
  const lasting = ours.filter(([, { restart }]) => restart !== 'no');
  const data = lasting.map(([, service]) => volumeAt(service, '/data'));
  const isShared = (path) => {
    const volumes = lasting.map(([, service]) => volumeAt(service, path));
    return volumes[0] && new Set(volumes).size === 1;
  };
  return [
    ...unless(new Set(data).size === lasting.length, 'processes share a DATA_DIR'),
    ...unless(isShared('/workspace'), 'processes have different workspaces'),
    ...unless(isShared('/files'), 'processes have different files'),
  ];
}

/** Pairs of a volume and the path where it is. */
export function volumesOf({ volumes = [] }) {
  return volumes.map((volume) => volume.split(':').slice(0, 2));
}

function volumeAt(service, path) {
  return volumesOf(service).find(([, at]) => at === path)?.[0];
}
