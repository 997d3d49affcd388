import { text } from 'node:stream/consumers';
import type { Client } from '../../client/index.js';
import { PLAYER_NAMES, Speaker } from '../audio/speaker.js';
import { newChatId } from '../chat/chat-settings.js';
import { connect } from '../connection/connect.js';
import { span } from '../render/span.js';
import { SGR } from '../render/theme.js';
import type { Terminal } from '../terminal.js';
import type { OneShot } from './one-shot.js';
import type { CommandLine, Values } from './options.js';
import { UsageError } from './usage-error.js';

/** `parley chat`: one answer to a prompt, else a conversation. */
export async function chat(
  { values, positionals }: Omit<CommandLine, 'name'>,
  terminal: Terminal,
): Promise<number> {
  if (values.chat !== undefined && values.continue)
    throw new UsageError('--chat names a chat, --continue means the last one: give one of them.');
  if (values.queue && values.interrupt)
    throw new UsageError('--queue waits for what runs, --interrupt stops it: give one of them.');
  const isOneShot = positionals.length > 0 || !process.stdin.isTTY;
  const prompt = isOneShot ? (positionals[0] ?? (await text(process.stdin))) : undefined;
  if (prompt?.trim() === '') throw new UsageError('The prompt is empty.');
  if (values.json && prompt === undefined)
    throw new UsageError('--json is for one answer: give a prompt, or one on standard input.');
  if ((values.queue || values.interrupt) && prompt === undefined)
    throw new UsageError('--queue and --interrupt are for one answer, which needs a prompt.');
  const { url, key, workspace } = values;
  const say = (line: string): void => terminal.err.line([span(line, SGR.dim)]);
  const connected = await connect({ url, key, workspace }, terminal.environment, say);
  try {
    const chat_id = await chooseChat(connected.client, values);
    const speaker = values.speak ? speakerFor(connected.client, terminal) : undefined;
    const settings = { chat_id, agent: values.agent, model: values.model, isAuto: values.yes };
    if (prompt !== undefined) {
      const { oneShot } = await import('./one-shot.js');
      const on_conflict = conflictOf(values);
      const shot = { ...settings, prompt, speaker, on_conflict, json: values.json };
      return await oneShot(connected.client, shot, terminal);
    }
    const { Repl } = await import('../repl/repl.js');
    const isOld = values.chat !== undefined || values.continue === true;
    return await new Repl(connected, terminal).run(settings, { isOld, speaker });
  } finally {
    await connected.close();
  }
}

function conflictOf({ queue, interrupt }: Values): OneShot['on_conflict'] {
  if (queue) return 'enqueue';
  return interrupt ? 'interrupt' : undefined;
}

function speakerFor(client: Client, { environment }: Terminal): Speaker {
  const speaker = Speaker.find(client, environment.variables['PATH'] ?? '');
  if (speaker) return speaker;
  throw new UsageError(`--speak needs a program that plays: ${PLAYER_NAMES.join(', ')}.`);
}

async function chooseChat(client: Client, values: Values): Promise<string> {
  if (values.chat !== undefined) return values.chat;
  if (!values.continue) return newChatId();
  const { items } = await client.chats.list({ limit: 1 });
  if (items[0]) return items[0].id;
  throw new UsageError('There is no chat to continue yet.');
}
