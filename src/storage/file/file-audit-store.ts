import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { AuditStore } from '../../audit/audit-store.js';
import type { AuditPage } from '../../audit/audit-store.js';
import { KeyedMutex } from '../../kernel/async/keyed-mutex.js';
import { readSpan } from '../../kernel/disk/read-span.js';
import { ifMissing } from '../../kernel/disk/missing-path.js';
import { appendDurably, syncDirectory } from './durable-files.js';
import { describeError } from './report-problem.js';
import type { ReportProblem } from './report-problem.js';

const FILE_NAME = 'audit.jsonl';
const NEWLINE = 10;
const CHUNK = 64 * 1024;

/**
 * The audit trails of all tenants in one file, `audit.jsonl`: one entry per line, oldest first. For
 * a single process. A page is read from the end of the file, so that memory does not grow with it.
 */
export class FileAuditStore extends AuditStore {
  private readonly mutex = new KeyedMutex();
  private readonly path: string;

  private constructor(
    private readonly folder: string,
    /** Length of the complete lines; undefined while there is no file. */
    private size: number | undefined,
    private readonly report: ReportProblem,
  ) {
    super();
    this.path = join(folder, FILE_NAME);
  }

  /** An entry whose append was interrupted by a kill is dropped by the next append. */
  static async open(folder: string, report: ReportProblem): Promise<FileAuditStore> {
    const file = await open(join(folder, FILE_NAME), 'r').catch(ifMissing(undefined));
    try {
      return new FileAuditStore(folder, file && (await wholeLines(file)), report);
    } finally {
      await file?.close();
    }
  }

  /** Resolves once everything is on the disk. */
  close(): Promise<void> {
    return this.mutex.idle();
  }

  add(entry: AuditEntry): Promise<void> {
    return this.mutex.run(FILE_NAME, async () => {
      const bytes = Buffer.from(`${JSON.stringify(entry)}\n`);
      const create = this.size === undefined;
      const offset = this.size ?? 0;
      await appendDurably(this.path, { bytes, offset, create });
      this.size = offset + bytes.length;
      if (create) await syncDirectory(this.folder);
    });
  }

  /** For an action that has taken place: an entry that can't be saved is reported instead. */
  async addOrReport(entry: AuditEntry): Promise<void> {
    try {
      await this.add(entry);
    } catch (error) {
      const { path } = this;
      const message = `An audit entry could not be saved: ${JSON.stringify(entry)}. ${describeError(error)}`;
      this.report({ path, message });
    }
  }

  async list({ tenant_id, limit, before }: AuditPage): Promise<AuditEntry[]> {
    if (this.size === undefined) return [];
    const file = await open(this.path, 'r');
    try {
      const found: AuditEntry[] = [];
      let isAfter = before === undefined;
      for await (const line of linesBackwards(file, this.size)) {
        if (found.length >= limit) break;
        const entry = this.parse(line);
        if (isAfter && entry?.tenant_id === tenant_id) found.push(entry);
        isAfter ||= entry?.id === before?.id;
      }
      return found;
    } finally {
      await file.close();
    }
  }

  private parse(line: string): AuditEntry | undefined {
    try {
      return JSON.parse(line) as AuditEntry;
    } catch {
      this.report({ path: this.path, message: 'A line is no JSON; it is left out of the audit.' });
      return undefined;
    }
  }
}

async function wholeLines(file: FileHandle): Promise<number> {
  let end = (await file.stat()).size;
  while (end > 0) {
    const begin = Math.max(0, end - CHUNK);
    const last = (await readSpan(file, begin, end - begin)).lastIndexOf(NEWLINE);
    if (last >= 0) return begin + last + 1;
    end = begin;
  }
  return 0;
}

/** The complete lines, last first. */
async function* linesBackwards(file: FileHandle, size: number): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for (let end = size; end > 0;) {
    const begin = Math.max(0, end - CHUNK);
    const bytes = Buffer.concat([await readSpan(file, begin, end - begin), rest]);
    // the first line may begin before this chunk
    const from = begin === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
    const lines = bytes.toString('utf8', from).split('\n');
    yield* lines.filter((line) => line !== '').reverse();
    rest = bytes.subarray(0, from);
    end = begin;
  }
}
