import { ChatArchive } from '../../log/chat-archive.js';
import type { ArchivedInteraction, IncomingChat } from '../../log/chat-archive.js';
import { IncomingDirectory } from './incoming-directory.js';
import type { IncomingDeps } from './incoming-directory.js';
import type { LogGate } from './log-gate.js';
import { mapInSlices } from './map-in-slices.js';

export interface ArchiveDeps extends IncomingDeps {
  readonly gate: LogGate;
}

/** Whole chats as folders. */
export class FileChatArchive extends ChatArchive {
  constructor(private readonly deps: ArchiveDeps) {
    super();
  }

  async listInteractions(
    chatId: string,
    { limit, after = '' }: { limit: number; after?: string },
  ): Promise<ArchivedInteraction[]> {
    const { index, gate } = this.deps;
    const ids = (index.findChat(chatId)?.logs ?? []).map(({ id }) => id);
    const page = ids
      .filter((id) => id > after)
      .toSorted()
      .slice(0, limit);
    const rows = await mapInSlices(page, (id) =>
      gate.read(id, async (log) => ({ ...(await log.readRow()), begun: log.hasBegun })),
    );
    return rows.filter((row) => row !== undefined);
  }

  receive(): Promise<IncomingChat> {
    return IncomingDirectory.make(this.deps);
  }
}
