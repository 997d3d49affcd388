import { connect } from '../connection/connect.js';
import { EXIT } from '../exit-codes.js';
import { sanitizeLine } from '../render/sanitize.js';
import { span } from '../render/span.js';
import { SGR } from '../render/theme.js';
import { cutTo } from '../render/width.js';
import type { Terminal } from '../terminal.js';
import { titleOf } from '../chat/chat-settings.js';
import type { CommandLine } from './options.js';

const MOST = 50;

/** `parley chats`: the newest ones, or those that a search finds. */
export async function chats(
  { values, positionals }: Omit<CommandLine, 'name'>,
  { environment, out, err }: Terminal,
): Promise<number> {
  const { url, key } = values;
  const [q] = positionals;
  const say = (text: string): void => err.write(`${text}\n`);
  const connected = await connect({ url, key, workspace: undefined }, environment, say);
  try {
    const { items } = await connected.client.chats.list({ limit: MOST, ...(q && { q }) });
    for (const chat of items) {
      if (values.json) {
        out.json(chat);
        continue;
      }
      const { id, status, updated_at } = chat;
      const about = `  ${updated_at.slice(0, 16).replace('T', ' ')}  ${(status ?? 'empty').toLowerCase()}  `;
      const room = Math.max(out.columns - 1 - id.length - about.length, 10);
      const title = cutTo(sanitizeLine(titleOf(chat)), room);
      out.line([span(id, SGR.cyan), span(about, SGR.dim), span(title)]);
    }
    if (items.length === 0 && !values.json) out.write('There is no chat yet: parley chat\n');
    return EXIT.completed;
  } finally {
    await connected.close();
  }
}
