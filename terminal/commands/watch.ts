import { connect } from '../connection/connect.js';
import { EXIT } from '../exit-codes.js';
import { LiveTranscript } from '../screen/live-transcript.js';
import type { Terminal } from '../terminal.js';
import type { CommandLine } from './options.js';

/** `parley watch`: what runs in a chat and all that begins, until it is left. */
export async function watch(
  { values, positionals }: Omit<CommandLine, 'name'>,
  { environment, out, err }: Terminal,
): Promise<number> {
  const { url, key } = values;
  const [chat_id = ''] = positionals;
  const stop = new AbortController();
  const leave = (): void => stop.abort();
  process.on('SIGINT', leave).on('SIGTERM', leave).on('SIGHUP', leave);
  void out.closed.then(leave);
  const say = (text: string): void => err.write(`${text}\n`);
  const connected = await connect({ url, key, workspace: undefined }, environment, say);
  const view = values.json ? undefined : new LiveTranscript(out, environment);
  const { signal } = stop;
  try {
    // The stream waits for a server that is away: one that is not there fails at once.
    await connected.client.health.live({ signal });
    const events = connected.client.chat(chat_id).events({
      signal,
      onConnection: (connection) => view?.connect(connection),
    });
    for await (const event of events)
      if (view) view.take(event);
      else out.json(event);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    view?.end();
    await connected.close();
  }
  return EXIT.completed;
}
