import { connect } from '../connection/connect.js';
import { EXIT } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';
import type { CommandLine } from './options.js';

/** `parley open`: where the console of the server is, for a browser or a phone. */
export async function open(
  { values, positionals }: Omit<CommandLine, 'name'>,
  { environment, out, err }: Terminal,
): Promise<number> {
  const { url, key } = values;
  const [chat_id] = positionals;
  const say = (text: string): void => err.write(`${text}\n`);
  const connected = await connect({ url, key, workspace: undefined }, environment, say);
  try {
    if (chat_id !== undefined) await connected.client.chats.get(chat_id, { limit: 1 });
    const path = chat_id === undefined ? '' : `chats/${encodeURIComponent(chat_id)}`;
    const address = `${connected.url.replace(/\/$/, '')}/console/${path}`;
    out.write(`${address}\n`);
    if (!out.isTerminal || environment.isDumb || !environment.isUnicode) return EXIT.completed;
    const { renderUnicodeCompact } = await import('uqr');
    const code = renderUnicodeCompact(address, { border: 1 });
    if (code.indexOf('\n') < out.columns) out.write(`\n${code}\n`);
    return EXIT.completed;
  } finally {
    await connected.close();
  }
}
