import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve as absolute } from 'node:path';

const PROGRAM = absolute('node_modules/s3rver/bin/s3rver.js');
const BUCKET = 'parley-test';
/** The only credential that it knows. */
const KEY = 'S3RVER';

/** The reason why there is none, or undefined. */
export function findS3Fault(): string | undefined {
  if (existsSync(PROGRAM)) return undefined;
  if (process.env['REQUIRE_SERVICES'] === '1') throw new Error('s3rver is needed: npm ci');
  return 'no S3 server: s3rver is not installed';
}

/** A server that speaks S3, with an empty bucket. */
export class S3Server {
  private constructor(
    private readonly child: ChildProcess,
    readonly folder: string,
    private readonly port: string,
  ) {}

  /** @param port to come back on, after `stop` */
  static async start(folder?: string, port = '0'): Promise<S3Server> {
    const directory = folder ?? (await mkdtemp(join(tmpdir(), 'parley-s3-')));
    const place = ['--directory', directory, '--address', '127.0.0.1', '--port', port];
    const child = spawn(process.execPath, [PROGRAM, ...place, '--configure-bucket', BUCKET], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const found = await new Promise<string>((resolve, reject) => {
      let printed = '';
      child.stdout.on('data', (text) => {
        printed += String(text);
        const on = /127\.0\.0\.1:(\d+)/.exec(printed)?.[1];
        if (on) resolve(on);
      });
      child.once('exit', () => reject(new Error(`The S3 server did not start: ${printed}`)));
    });
    return new S3Server(child, directory, found);
  }

  get env() {
    return {
      FILE_STORE: 's3',
      S3_ENDPOINT: this.url,
      S3_BUCKET: BUCKET,
      S3_FORCE_PATH_STYLE: 'true',
      S3_ACCESS_KEY_ID: KEY,
      S3_SECRET_ACCESS_KEY: KEY,
    };
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** It keeps its data for `again`. */
  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  again(): Promise<S3Server> {
    return S3Server.start(this.folder, this.port);
  }

  async remove(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
