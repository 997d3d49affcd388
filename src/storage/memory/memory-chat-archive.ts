import { ChatArchive } from '../../persistence/chat-archive.js';
import type { ArchivedInteraction, IncomingChat } from '../../persistence/chat-archive.js';
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
    const { gate } = this.deps;
    const page = this.idsOf(chatId)
      .filter((id) => id > after)
      .slice(0, limit);
    const rows = await mapInSlices(page, (id) =>
      gate.read(id, async (log) => ({ ...(await log.readRow()), begun: log.hasBegun })),
    );
    return rows.filter((row) => row !== undefined);
  }

  async findLastInteractionId(chatId: string): Promise<string | undefined> {
    return this.idsOf(chatId).at(-1);
  }

  receive(): Promise<IncomingChat> {
    return IncomingDirectory.make(this.deps);
  }

  private idsOf(chatId: string): string[] {
    const logs = this.deps.index.findChat(chatId)?.logs ?? [];
    return logs.map(({ id }) => id).sort();
  }
}
