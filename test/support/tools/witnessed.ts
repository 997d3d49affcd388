import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../eventually.js';

/** A line of a witness server. */
interface Witnessed {
  readonly pid: string;
  readonly line: string;
}

/**
 * Where witness servers tell what happens to one interaction at a time, and the accounts that they
 * connect to.
 */
export class WitnessStand {
  /** Connections, and how many of them are closed. */
  opened = 0;
  closed = 0;

  private constructor(
    private readonly folder: string,
    private readonly bank = createServer((socket) => this.serve(socket)),
  ) {}

  static async open(): Promise<WitnessStand> {
    const stand = new WitnessStand(await mkdtemp(join(tmpdir(), 'parley-witness-')));
    stand.bank.listen(0, '127.0.0.1');
    await once(stand.bank, 'listening');
    await stand.clear();
    return stand;
  }

  /** What a witness server is started with. */
  get args(): string[] {
    const { port } = this.bank.address() as AddressInfo;
    return [this.path, this.haltPath, String(port)];
  }

  /** Nothing was told, and nobody stops. */
  async clear(): Promise<void> {
    await writeFile(this.path, '');
    await this.haltAt('');
    this.opened = this.closed = 0;
  }

  /** Whoever tells a line that begins so stops there for good; nobody if it is empty. */
  haltAt(start: string): Promise<void> {
    return writeFile(this.haltPath, start);
  }

  async list(): Promise<Witnessed[]> {
    const text = await readFile(this.path, 'utf8');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => ({ pid: line.split(' ', 1)[0]!, line: line.slice(line.indexOf(' ') + 1) }));
  }

  /** The lines that begin so. */
  async lines(start: string): Promise<string[]> {
    return (await this.list()).map(({ line }) => line).filter((line) => line.startsWith(start));
  }

  /** What each process told of its hooks, in order. */
  async hooks(): Promise<string[][]> {
    const all = (await this.list()).filter(({ line }) => line.startsWith('hook '));
    const pids = [...new Set(all.map(({ pid }) => pid))];
    return pids.map((pid) => all.filter((each) => each.pid === pid).map(({ line }) => line));
  }

  /** Resolves when somebody has told a line that begins so. */
  wait(start: string): Promise<void> {
    return eventually(async () => (await this.lines(start)).length > 0);
  }

  async close(): Promise<void> {
    this.bank.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  private get path(): string {
    return join(this.folder, 'witnessed.txt');
  }

  private get haltPath(): string {
    return join(this.folder, 'halt-at.txt');
  }

  private serve(socket: Socket): void {
    this.opened++;
    socket.on('close', () => this.closed++);
    socket.on('error', () => {}); // its process was killed
    socket.resume();
  }
}
