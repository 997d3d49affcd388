import { connect } from '../connection/connect.js';
import { EXIT } from '../exit-codes.js';
import { loadHighlighter } from '../render/highlight.js';
import type { Terminal } from '../terminal.js';
import { Transcript } from '../transcript/transcript.js';
import type { CommandLine } from './options.js';

const PAGE = 50;

/** `parley log`: a chat as it stands, from its first message to its last. */
export async function log(
  { values, positionals }: Omit<CommandLine, 'name'>,
  { environment, out, err }: Terminal,
): Promise<number> {
  const { url, key } = values;
  const [chat_id = ''] = positionals;
  const say = (text: string): void => err.write(`${text}\n`);
  const connected = await connect({ url, key, workspace: undefined }, environment, say);
  const { client } = connected;
  try {
    if (values.json) {
      const { body } = await client.chats.log(chat_id);
      const decoder = new TextDecoder();
      for await (const bytes of body!) out.write(decoder.decode(bytes, { stream: true }));
      return EXIT.completed;
    }
    await loadHighlighter();
    const view = { width: out.columns - 1 };
    const transcript = new Transcript();
    for (const interaction of await branchOf(client, chat_id)) {
      const isOver = interaction.completed_at !== null;
      for await (const event of client.follow(chat_id, interaction.id)) {
        transcript.take(event);
        do out.lines(transcript.takeLines(view));
        while (transcript.hasMore);
        if (!isOver && 'seq' in event && event.seq >= interaction.last_seq) break;
      }
    }
    return EXIT.completed;
  } finally {
    await connected.close();
  }
}

type ChatClient = Awaited<ReturnType<typeof connect>>['client'];
type Interactions = Awaited<ReturnType<ChatClient['chats']['get']>>['interactions'];

/** All interactions that have begun, oldest first. */
async function branchOf(client: ChatClient, chatId: string): Promise<Interactions> {
  const pages: Interactions[] = [];
  for (let before: string | null = null; ;) {
    const query = { limit: PAGE, ...(before !== null && { before }) };
    const chat: Awaited<ReturnType<ChatClient['chats']['get']>> = await client.chats.get(
      chatId,
      query,
    );
    pages.unshift(chat.interactions.filter(({ status }) => status !== 'QUEUED'));
    before = chat.next_before;
    if (before === null) return pages.flat();
  }
}
