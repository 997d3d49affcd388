import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { SidebarButton } from '../chat/chat-header';
import { withRequests } from '../feed/feed-state';
import { NotTold } from '../feed/not-told';
import { feed } from '../feed/shared-feed';
import { client } from '../session/client';
import { text as chatText } from '../strings/chat';
import { inboxText as text } from '../strings/inbox';
import { visible } from '../text/visible';
import { Button } from '../ui/button';
import { Fault } from '../ui/fault';
import { usePageTitle } from '../ui/page-title';
import { useStore } from '../ui/store';
import { InboxItem } from './inbox-item';
import { NotifyButton } from './notify-button';
import { groupsOf } from './rows';
import type { ChatGroup } from './rows';
import { useChatTitle } from './use-chat-title';
import css from './inbox.module.css';

/** All that waits for a person or a program, over all chats, to be decided right there. */
export function InboxPage() {
  const told = useStore(feed);
  const shown = useShown();
  const groups = groupsOf(told, shown);
  usePageTitle(text.title);
  return (
    <div className={css['page']} data-testid="inbox">
      <header className={css['header']}>
        <SidebarButton />
        <h1>{text.title}</h1>
        <span className={css['count']} aria-live="polite">
          {told.isKnown && text.waiting(told.requests.length, told.requestsCursor !== null)}
        </span>
        <NotifyButton />
      </header>
      <div className={css['scroller']}>
        {groups.map((group) => (
          <Group key={group.chat_id} group={group} />
        ))}
        <MoreRequests cursor={told.requestsCursor} />
        {told.isKnown && groups.length === 0 && (
          <div className={css['empty']}>
            <h2>{text.empty}</h2>
            <p>{text.emptyHint}</p>
          </div>
        )}
        {!told.isKnown && <NotTold className={css['empty']} />}
      </div>
    </div>
  );
}

/** The ids of all that has waited since the page was opened. */
function useShown(): ReadonlySet<string> {
  const shown = useRef(new Set<string>());
  const requests = useStore(feed, (it) => it.requests);
  for (const { id } of requests) shown.current.add(id);
  return shown.current;
}

function Group({ group: { chat_id, requests } }: { group: ChatGroup }) {
  const title = visible(useChatTitle(chat_id) ?? chatText.untitled);
  return (
    <section className={css['group']} role="group" aria-label={title}>
      <h2>
        <Link href={`/chats/${chat_id}`}>{title}</Link>
      </h2>
      {requests.map((request) => (
        <InboxItem key={request.id} request={request} />
      ))}
    </section>
  );
}

/** The feed tells the oldest 200. */
function MoreRequests({ cursor }: { cursor: string | null }) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => setBusy(false), [cursor]);
  if (cursor === null) return null;
  const load = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const page = await client.requests.list({ status: 'pending', cursor, limit: 100 });
      feed.set(withRequests(feed.get(), page));
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return (
    <div className={css['more']}>
      {error !== undefined && <Fault error={error} />}
      <Button disabled={isBusy} onClick={() => void load()}>
        {text.more}
      </Button>
    </div>
  );
}
