import type { Connection, FeedEvent } from 'parley/client';
import { keepDraft } from '../chat/composer/draft';
import { client } from '../session/client';
import { credential, isRefused, session } from '../session/credential';
import { Store } from '../ui/store';
import { EMPTY_FEED, foldFeed } from './feed-state';
import type { Feed } from './feed-state';

/** `connecting`: not tried yet. */
type State = Connection['state'] | 'connecting';

/** A message between tabs. */
type Message =
  | { readonly kind: 'event'; readonly event: FeedEvent }
  | { readonly kind: 'connection'; readonly connection: State }
  | { readonly kind: 'state'; readonly feed: Feed; readonly connection: State }
  | { readonly kind: 'hello' };

export const feed = new Store<Feed>(EMPTY_FEED);
/** State of the feed's connection, whichever tab has it. */
export const feedConnection = new Store<State>('connecting');

/** The reason why there is no feed, for good: a scope is missing, say. */
export const feedFault = new Store<unknown>(undefined);

/** Claims that tell tokens of the same person apart. */
const OF_ONE_TOKEN = new Set(['exp', 'iat', 'nbf', 'jti', 'auth_time', 'sid', 'nonce', 'at_hash']);

let leave = new AbortController();

/**
 * Keeps the feed: one connection for all tabs of the browser with this credential, as HTTP/1.1 has
 * six. The tab that holds the lock has it and tells the others; another takes over when it closes.
 */
export function keepFeed(): void {
  session.subscribe(restart);
  isRefused.subscribe(restart);
  restart();
}

function restart(): void {
  leave.abort();
  leave = new AbortController();
  feed.set(EMPTY_FEED);
  feedConnection.set('connecting');
  if (!isRefused.get())
    void share(`parley.feed ${fingerprint(identityOf(credential.get() ?? ''))}`);
}

async function share(name: string): Promise<void> {
  const { signal } = leave;
  const tabs = new BroadcastChannel(name);
  let isLeader = false;
  tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'hello') {
      const [state, connection] = [feed.get(), feedConnection.get()];
      if (isLeader) tabs.postMessage({ kind: 'state', feed: state, connection } satisfies Message);
    } else take(data);
  });
  signal.addEventListener('abort', () => tabs.close());
  tabs.postMessage({ kind: 'hello' } satisfies Message);
  const lead = async (): Promise<void> => {
    isLeader = true;
    await follow(signal, (message) => {
      take(message);
      tabs.postMessage(message);
    });
  };
  // Pages that come over plain HTTP of another machine have no locks: each has a feed of its own.
  const { locks } = navigator as { readonly locks?: LockManager };
  await (locks ? locks.request(name, { signal }, lead) : lead()).catch(ignoreAbort(signal));
}

function take(message: Exclude<Message, { readonly kind: 'hello' }>): void {
  if (message.kind === 'event') {
    const { event } = message;
    feed.set(foldFeed(feed.get(), event));
    if (event.type === 'CHAT_UPDATED' && event.deleted) keepDraft(event.chat_id, '');
  }
  if (message.kind === 'state') feed.set(message.feed);
  if (message.kind !== 'event') feedConnection.set(message.connection);
}

async function follow(
  signal: AbortSignal,
  tell: (message: Message & { kind: 'event' | 'connection' }) => void,
): Promise<void> {
  const onConnection = ({ state }: Connection): void =>
    tell({ kind: 'connection', connection: state });
  for await (const event of client.feed({ signal, onConnection })) tell({ kind: 'event', event });
}

function ignoreAbort(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted && !isRefused.get()) feedFault.set(error);
  };
}

/** The same for all tokens of a person with the same rights: each tab has its own. */
function identityOf(token: string): string {
  try {
    const payload = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    const claims = JSON.parse(atob(payload)) as Readonly<Record<string, unknown>>;
    const lasting = Object.entries(claims).filter(([name]) => !OF_ONE_TOKEN.has(name));
    return JSON.stringify(lasting);
  } catch {
    return token;
  }
}

/** Tabs with another credential see other chats. The name of a channel must not be a secret. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193);
  return (hash >>> 0).toString(36);
}
