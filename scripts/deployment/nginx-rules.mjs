import { milliseconds } from './compose.mjs';
import { unless } from './unless.mjs';

/**
 * Everything in which nginx.conf contradicts compose.yaml, the image or the server's defaults; one
 * sentence each.
 */
export function findNginxFaults({ compose: { services }, nginx, image, defaults }) {
  const upstreams = [...nginx.matchAll(/^\s*server (\S+):(\d+) resolve/gm)];
  const apis = Object.keys(services).filter((name) => services[name].environment?.ROLE === 'api');
  const [, published] = /:(\d+)$/.exec(services.nginx.ports[0]);
  return [
    ...unless(
      upstreams.map(([, host]) => host).join() === apis.join(),
      `nginx asks ${upstreams.map(([, host]) => host)}, but the APIs are ${apis}`,
    ),
    ...upstreams
      .filter(([, host, at]) => at !== services[host]?.environment.PORT || at !== image.port)
      .map(([, host, at]) => `nginx asks ${host} at port ${at}, where it doesn't listen`),
    ...unless(nginx.includes(`listen ${published};`), `nginx doesn't listen on ${published}`),
    ...unless(
      services.nginx.ports[0].startsWith('127.0.0.1:'),
      'whoever sets nothing opens the server to the network',
    ),
    ...unless(
      services.nginx.volumes.includes('./deploy/nginx.conf:/etc/nginx/nginx.conf:ro'),
      'nginx has another configuration',
    ),
    ...faultsOfLimits(nginx, defaults),
  ];
}

function faultsOfLimits(nginx, defaults) {
  const { HEARTBEAT_MS, KEEP_ALIVE_TIMEOUT_MS, IMPORT_MAX_BYTES, FILE_MAX_BYTES } = defaults;
  const [silence] = valuesOf(nginx, 'proxy_read_timeout').map(milliseconds);
  const [, imported, uploaded] = valuesOf(nginx, 'client_max_body_size');
  const [kept] = valuesOf(nginx.slice(nginx.indexOf('upstream api')), 'keepalive_timeout');
  return [
    ...unless(silence >= 4 * HEARTBEAT_MS, 'nginx takes a stream for dead between two heartbeats'),
    ...unless(
      imported === `${IMPORT_MAX_BYTES / 2 ** 20}m`,
      'nginx takes other session logs than the server',
    ),
    ...unless(
      uploaded === `${FILE_MAX_BYTES / 2 ** 20 + 1}m`,
      'nginx takes other files than the server',
    ),
    ...unless(
      milliseconds(kept) < KEEP_ALIVE_TIMEOUT_MS,
      'nginx uses connections that the server is about to close',
    ),
  ];
}

function valuesOf(nginx, directive) {
  return [...nginx.matchAll(new RegExp(`^\\s*${directive} (\\S+);`, 'gm'))].map(
    ([, value]) => value,
  );
}
