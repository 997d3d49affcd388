import type { InboxRequest } from '../feed/feed-state';
import { feed } from '../feed/shared-feed';
import { inboxText as text } from '../strings/inbox';
import { visible } from '../text/visible';
import { Store } from '../ui/store';

const NAME = 'parley.notifications';
const LONGEST = 160;

/** `unavailable`: the page came over plain HTTP from another machine, or the browser has none. */
export type NotifyState = 'on' | 'off' | 'blocked' | 'unavailable';

export const notifyState = new Store<NotifyState>(currentState());

/** Asks the browser, which asks the person. */
export async function askToNotify(): Promise<void> {
  if ((await Notification.requestPermission()) === 'granted') localStorage.setItem(NAME, 'on');
  notifyState.set(currentState());
}

export function stopNotifying(): void {
  localStorage.removeItem(NAME);
  notifyState.set(currentState());
}

/**
 * Shows requests that open while the page is hidden. All tabs tell the same: notifications
 * of one request replace each other.
 * @param go called with the place of the request that was clicked
 */
export function keepNotifying(go: (href: string) => void): () => void {
  let before = feed.get();
  return feed.subscribe(() => {
    const now = feed.get();
    const known = new Set(before.requests.map(({ id }) => id));
    const added = before.isKnown ? now.requests.filter(({ id }) => !known.has(id)) : [];
    before = now;
    if (notifyState.get() !== 'on' || !document.hidden) return;
    for (const request of added) show(request, go);
  });
}

function show(request: InboxRequest, go: (href: string) => void): void {
  const { id, kind, chat_id, interaction_id } = request;
  const told = visible(String(request['action'] ?? request['question'] ?? request['tool_name']));
  const body = told.length > LONGEST ? `${told.slice(0, LONGEST)}…` : told;
  const notification = new Notification(text.notifications[kind], { tag: id, body });
  notification.addEventListener('click', () => {
    focus();
    go(`/chats/${chat_id}#${interaction_id}`);
    notification.close();
  });
}

function currentState(): NotifyState {
  if (!isSecureContext || !('Notification' in globalThis)) return 'unavailable';
  if (Notification.permission === 'denied') return 'blocked';
  const isWanted = localStorage.getItem(NAME) === 'on';
  return Notification.permission === 'granted' && isWanted ? 'on' : 'off';
}
