import { Injectable } from '@nestjs/common';
import { findFile } from '../../../workspace/read-file.js';
import { WorkspaceFault } from '../../../workspace/workspace-fault.js';
import { Workspaces } from '../../../workspace/workspaces.js';
import { cutText } from '../../../kernel/text/cut-text.js';

/** File with a project's instructions for agents. */
const FILE = 'AGENTS.md';
/** In characters: they are part of every turn. */
const MAX_NOTES = 20_000;

/** Reads a project's instructions for agents. */
@Injectable()
export class ProjectNotes {
  constructor(private readonly workspaces: Workspaces) {}

  /** The file, truncated if it is long; undefined if there is none that can be read. */
  async read(chatUid: string): Promise<string | undefined> {
    try {
      return await this.workspaces.use(chatUid, async (workspace) => {
        const file = await findFile(workspace, FILE);
        const text = file?.bytes.toString('utf8').trim();
        return text ? cut(text) : undefined;
      });
    } catch (error) {
      if (error instanceof WorkspaceFault) return undefined;
      throw error;
    }
  }
}

function cut(text: string): string {
  if (text.length <= MAX_NOTES) return text;
  return `${cutText(text, MAX_NOTES)}\n\n(The rest of ${FILE} is left out: read it there.)`;
}
