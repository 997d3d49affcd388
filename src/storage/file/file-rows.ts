import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RowJournal } from '../memory/core/row-journal.js';
import { onDisk, TEMPORARY_SUFFIX } from './durable-files.js';
import { replaceJson } from './json-files.js';
import type { ReportProblem } from './report-problem.js';
import { describeError } from './report-problem.js';

const SUFFIX = '.json';

/** Rows, one human-readable file each in a folder of `DATA_DIR`. */
export class FileRows<Row extends { readonly id: string }> implements RowJournal<Row> {
  private readonly folder: string;

  constructor(dataDir: string, name: 'file-rows' | 'webhooks' | 'deleted-usage') {
    this.folder = join(dataDir, name);
  }

  /** A row that can't be read is reported and left out; its file stays. */
  async load(report: ReportProblem): Promise<Row[]> {
    await mkdir(this.folder, { recursive: true });
    const rows: Row[] = [];
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name);
      if (name.endsWith(TEMPORARY_SUFFIX)) await rm(path, { force: true });
      else if (name.endsWith(SUFFIX))
        try {
          rows.push(JSON.parse(await readFile(path, 'utf8')) as Row);
        } catch (error) {
          report({ path, message: `It can’t be read. ${describeError(error)}` });
        }
    }
    return rows;
  }

  async save(row: Row): Promise<void> {
    await replaceJson(this.pathOf(row.id), row);
  }

  async erase(id: string): Promise<void> {
    await onDisk(rm(this.pathOf(id), { force: true }));
  }

  has(id: string): boolean {
    return existsSync(this.pathOf(id));
  }

  /** Ids are made by the server. */
  private pathOf(id: string): string {
    return join(this.folder, `${id}${SUFFIX}`);
  }
}
