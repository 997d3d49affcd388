import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../kernel/disk/missing-path.js';
import { FolderNote } from '../memory/memory-file-catalog.js';
import { replaceDurably, syncDirectory } from './durable-files.js';

const FILE_NAME = 'file-folder';

/** The id of the folder that has the bytes of files, in the file `file-folder`. */
export class FileFolderNote extends FolderNote {
  private constructor(
    private readonly data_dir: string,
    id?: string,
  ) {
    super(id);
  }

  static async open(data_dir: string): Promise<FileFolderNote> {
    const text = await readFile(join(data_dir, FILE_NAME), 'utf8').catch(ifMissing(undefined));
    return new FileFolderNote(data_dir, text?.trim());
  }

  /** Changes memory only after the change is on the disk. */
  override async keep(id: string): Promise<void> {
    await replaceDurably(join(this.data_dir, FILE_NAME), `${id}\n`);
    await syncDirectory(this.data_dir);
    await super.keep(id);
  }
}
