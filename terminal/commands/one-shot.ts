import { fold, ParleyError } from '../../client/index.js';
import type {
  Client,
  Connection,
  Conversation,
  EventStream,
  StreamEvent,
} from '../../client/index.js';
import { explain } from '../connection/connect.js';
import { EXIT } from '../exit-codes.js';
import { sanitize, withoutControls } from '../render/sanitize.js';
import { span } from '../render/span.js';
import { SGR } from '../render/theme.js';
import { LiveTranscript } from '../screen/live-transcript.js';
import type { Terminal } from '../terminal.js';
import type { Speaker } from '../audio/speaker.js';
import { startBody } from '../chat/chat-settings.js';
import type { ChatSettings } from '../chat/chat-settings.js';

/** A start that is not answered within this time is left, whatever becomes of it. */
const MOST_LEAVE_MS = 5_000;

export interface OneShot extends ChatSettings {
  readonly prompt: string;
  readonly json: boolean | undefined;
  /** In a chat that is busy; undefined fails. */
  readonly on_conflict: 'enqueue' | 'interrupt' | undefined;
  /** Speaks the answer. */
  readonly speaker: Speaker | undefined;
}

/** The streamed answer; the exit code says how it ended. */
export async function oneShot(
  client: Client,
  settings: OneShot,
  terminal: Terminal,
): Promise<number> {
  const stop = new AbortController();
  let isLeaving = false;
  let isSending = false;
  /** A start that is on its way can be cancelled once it is known, which is waited for. */
  const leave = (): void => {
    if (isLeaving || !isSending || events.interaction_id !== undefined) stop.abort();
    else setTimeout(() => stop.abort(), MOST_LEAVE_MS).unref();
    isLeaving = true;
  };
  process.on('SIGINT', leave).on('SIGTERM', leave).on('SIGHUP', leave);
  void terminal.out.closed.then(leave);
  const { chat_id, on_conflict } = settings;
  const { signal } = stop;
  const body = {
    ...startBody(settings, settings.prompt),
    ...(on_conflict && { on_conflict }),
  };
  const view = viewFor(settings, terminal);
  const events = client.start(chat_id, body, {
    ...{ signal, give_up_ms: 60_000 },
    onConnection: (connection) => {
      view.connect(connection);
      if (isLeaving) stop.abort();
    },
  });
  try {
    // A start is repeated until a server answers: one that is not there fails at once.
    await client.health.live({ signal });
    isSending = true;
    const { speaker } = settings;
    let speech: Promise<void> | undefined;
    signal.addEventListener('abort', () => speaker?.stop());
    const state = await readAll(events, (event) => {
      view.take(event);
      speech ??= speaker
        ?.speak(chat_id, events.interaction_id!)
        .catch((error: unknown) => terminal.err.write(`parley: ${sanitize(explain(error))}\n`));
    });
    view.end();
    await speech;
    return report(state, settings, terminal);
  } catch (error) {
    view.end();
    if (!signal.aborted) throw asBusy(error, chat_id);
    return isSending ? await cancel(client, { chat_id, events }, terminal) : EXIT.cancelled;
  }
}

interface EventView {
  take(event: StreamEvent): void;
  connect(connection: Connection): void;
  end(): void;
}

/** Events as JSON, as a transcript on a terminal, or nothing: then the answer comes at the end. */
function viewFor({ json, on_conflict }: OneShot, { out, err, environment }: Terminal): EventView {
  const begins = on_conflict === undefined ? 'working' : 'waiting for its turn';
  if (!json && out.isTerminal) return new LiveTranscript(out, environment, begins);
  return {
    take: (event) => {
      if (json) out.json(event);
    },
    connect: (connection) => {
      const isLost = connection.state === 'reconnecting' && connection.attempt === 1;
      if (isLost) err.write('parley: the connection is lost; reconnecting\n');
    },
    end: () => {},
  };
}

/** To the end, or until it waits for a person. */
async function readAll(
  events: EventStream<StreamEvent>,
  take: (event: StreamEvent) => void,
): Promise<Conversation | undefined> {
  let state: Conversation | undefined;
  for await (const event of events) {
    take(event);
    // Deltas are in the records that follow.
    if ('offset' in event) continue;
    state = fold(state, event);
    if (statusOf(state)?.startsWith('WAITING')) break;
  }
  return state;
}

function statusOf(state: Conversation | undefined): string | undefined {
  return state?.interactions[state.head ?? '']?.status;
}

function report(state: Conversation | undefined, { json }: OneShot, terminal: Terminal): number {
  const interaction = state?.interactions[state.head ?? ''];
  const { out, err } = terminal;
  if (!interaction || !state) return EXIT.failed;
  const { status, answer, error } = interaction;
  if (status.startsWith('WAITING')) {
    for (const request of state.requests)
      if (request.status === 'pending') err.write(`${adviceFor(request)}\n`);
    return EXIT.needs_human;
  }
  if (!json && !out.isTerminal && answer !== null) out.write(`${withoutControls(answer)}\n`);
  if (status === 'COMPLETED') return EXIT.completed;
  if (status === 'CANCELLED') return EXIT.cancelled;
  if (!out.isTerminal && error) err.write(`parley: ${sanitize(error.message)} (${error.code})\n`);
  return EXIT.failed;
}

function adviceFor(request: Conversation['requests'][number]): string {
  const { id, kind, tool_name = '', tool_input = '', question = '' } = request;
  if (kind === 'input') return `It asks: ${sanitize(question)}\n  parley answer ${id} "TEXT"`;
  if (kind === 'tool') return `It waits for a client that runs ${sanitize(tool_name)}.`;
  const call = `${sanitize(tool_name)} ${sanitize(tool_input)}`;
  return `It waits for an approval: ${call}\n  parley approve ${id}\n  parley reject ${id}`;
}

/** Until it has ended, so that nothing of it runs any more. */
async function cancel(
  client: Client,
  { chat_id, events }: { readonly chat_id: string; readonly events: EventStream<StreamEvent> },
  { out, err }: Terminal,
): Promise<number> {
  const { interaction_id } = events;
  if (interaction_id === undefined) {
    err.write(
      `parley: the server has not answered: the message may have begun. To see it: parley chat --chat ${chat_id}\n`,
    );
    return EXIT.cancelled;
  }
  if (!out.isClosed) err.line([span('Cancelling', SGR.dim)]);
  try {
    await client.interactions.cancel(chat_id, interaction_id, { wait: 'true' });
  } catch (error) {
    const hasEnded = error instanceof ParleyError && error.status === 409;
    if (!hasEnded) err.write(`parley: ${sanitize(explain(error))}\n`);
  }
  return EXIT.cancelled;
}

function asBusy(error: unknown, chat_id: string): unknown {
  if (!(error instanceof ParleyError) || error.code !== 'chat_busy') return error;
  return new Error(
    `Another message of this chat is at work. --queue waits for its end, --interrupt stops it, and parley chat --chat ${chat_id} follows it.`,
    { cause: error },
  );
}
