import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { feed } from '../feed/shared-feed';
import { usePanelAddress, usePanelTab } from '../panel/panel-tab';
import { useShown } from '../records/use-shown';
import { text } from '../strings/chat';
import { Fault } from '../ui/fault';
import { usePageTitle } from '../ui/page-title';
import { useStore } from '../ui/store';
import { ChatHeader } from './chat-header';
import { Composer } from './composer/composer';
import { OpenChatContext, useOpenChat } from './use-chat';
import type { OpenChat } from './open-chat';
import { Queue } from './queue';
import { TurnList } from './turn-list';
import { isActive, turnsOf } from './turns';
import css from './chat-page.module.css';

const Panel = lazy(async () => ({ default: (await import('../panel/panel')).Panel }));
const AgentPage = lazy(async () => ({ default: (await import('../agents/agent-page')).AgentPage }));

export function ChatPage({ id }: { id: string }) {
  const chat = useOpenChat(id);
  return (
    <OpenChatContext value={chat}>
      <Shown chat={chat} />
    </OpenChatContext>
  );
}

function Shown({ chat }: { chat: OpenChat }) {
  const view = useStore(chat.view);
  const [params] = useSearchParams();
  const branch = params.get('branch');
  const agentId = params.get('agent');
  const turns = useMemo(() => turnsOf(view, branch), [view, branch]);
  const shown = useShown(view, turns);
  const tab = usePanelTab();
  usePanelAddress(chat.id);
  const [editing, setEditing] = useState<string | null>(null);
  if (view.fault) return <Gone chat={chat} error={view.fault} />;
  const last = turns.at(-1);
  const active = last && isActive(last.status) ? last : undefined;
  return (
    <div className={css['page']}>
      <ChatHeader view={view} />
      <div className={css['beside']}>
        {agentId === null ? (
          <div className={css['column']}>
            <TurnList shown={shown} editing={editing} onEdit={setEditing} />
            <div className={css['foot']}>
              <Queue chat={chat} queued={view.conversation?.queued ?? []} />
              <Composer
                chatId={chat.id}
                active={active}
                settings={view.settings}
                onEditLast={() => setEditing(last?.id ?? null)}
              />
            </div>
          </div>
        ) : (
          <Suspense fallback={<div className={css['column']} />}>
            <AgentPage key={agentId} agentId={agentId} shown={shown} />
          </Suspense>
        )}
        {tab !== null && (
          <Suspense fallback={<PanelSpace />}>
            <Panel tab={tab} view={view} turns={turns} />
          </Suspense>
        )}
      </div>
    </div>
  );
}

/** Keeps the place of the panel until its code is there. */
function PanelSpace() {
  return <div className={css['panel']} />;
}

/** Until the list of chats has it. */
function Gone({ chat, error }: { chat: OpenChat; error: { readonly status: number } }) {
  const isListed = useStore(feed, ({ chats }) => chats.some(({ id }) => id === chat.id));
  const wasListed = useRef(isListed);
  usePageTitle(text.gone);
  useEffect(() => {
    if (isListed && !wasListed.current) chat.reopen();
    wasListed.current = isListed;
  }, [chat, isListed]);
  return (
    <div className={css['gone']}>
      {error.status === 404 ? (
        <>
          <h1>{text.gone}</h1>
          <p>{text.goneHint}</p>
        </>
      ) : (
        <Fault error={error} onRetry={() => chat.reopen()} />
      )}
      <Link href="/">{text.backToChats}</Link>
    </div>
  );
}
