import { appendFile, chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const MOST_ENTRIES = 1_000;
const MOST_LENGTH = 10_000;
/** Names of credentials in the form that vendors give them. */
const SECRET =
  /\b(?:parley_|sk-|sk_|pk_|ghp_|gho_|github_pat_|xox[abp]-|AKIA|AIza|eyJ)[\w-]{12,200}|-----BEGIN/;

/** Lines that were typed before, oldest first, kept in a file that others can't read. */
export class History {
  private entries: string[] = [];
  /** Index of the entry that is shown; the number of entries: what is typed now. */
  private at = 0;
  private unsent = '';

  constructor(private readonly path: string) {}

  /** A history that can't be read is empty. */
  async load(): Promise<void> {
    const text = await readFile(this.path, 'utf8').catch(() => '');
    const lines = text.split('\n').filter((line) => line !== '');
    this.entries = lines.slice(-MOST_ENTRIES).flatMap(parse);
    this.at = this.entries.length;
    if (lines.length > MOST_ENTRIES * 2) await this.rewrite().catch(() => {});
  }

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  /** Saves it, unless it is long or has a credential. A file that can't be written is left. */
  async add(entry: string): Promise<void> {
    if (entry !== this.entries.at(-1)) this.entries.push(entry);
    this.at = this.entries.length;
    if (entry.length > MOST_LENGTH || SECRET.test(entry)) return;
    await this.append(`${JSON.stringify(entry)}\n`).catch(() => {});
  }

  /** The entry before or after the one that is shown; undefined at the ends. */
  step(by: -1 | 1, current: string): string | undefined {
    if (this.at === this.entries.length) this.unsent = current;
    const next = this.at + by;
    if (next < 0 || next > this.entries.length) return undefined;
    this.at = next;
    return this.entries[next] ?? this.unsent;
  }

  private async append(line: string): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await appendFile(this.path, line, { mode: 0o600 });
  }

  private async rewrite(): Promise<void> {
    const lines = this.entries.map((entry) => `${JSON.stringify(entry)}\n`);
    await writeFile(this.path, lines.join(''), { mode: 0o600 });
    await chmod(this.path, 0o600);
  }
}

function parse(line: string): string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? [value] : [];
  } catch {
    return [];
  }
}
