export interface Nginx {
  readonly url: string;
  readonly log: () => Promise<string>;
  readonly stop: () => Promise<void>;
}

export function startNginx(options: {
  /** Its own, which it may make. */
  readonly folder: string;
  /** Ports of the API processes. */
  readonly upstreams: readonly [number, number];
}): Promise<Nginx>;
