import { PanelLeftOpen, PanelRightOpen } from 'lucide-react';
import { useEffect, useState } from 'react';
import { text } from '../strings/chat';
import { sidebarText } from '../strings/sidebar';
import { visible } from '../text/visible';
import { Button, IconButton } from '../ui/button';
import { sheetIsOpen, sidebarIsOpen } from '../ui/layout';
import { usePageTitle } from '../ui/page-title';
import { Mark, Status } from '../ui/status';
import { useStore } from '../ui/store';
import { Tooltip } from '../ui/tooltip';
import { useIsMedium, useIsNarrow } from '../ui/use-media';
import { ChatMenu } from '../chats/chat-menu';
import { usePanelFlag } from '../panel/panel-tab';
import type { ChatView } from './open-chat';
import { UsageMark } from './usage-mark';
import css from './chat-page.module.css';

/** `hasPanel`: a panel can be shown beside what is below. */
export function ChatHeader({ view, hasPanel = true }: { view: ChatView; hasPanel?: boolean }) {
  const { conversation, usage } = view;
  const chat = conversation?.chat;
  const title = chat ? (chat.title ?? text.untitled) : text.chat;
  usePageTitle(visible(title));
  return (
    <header className={css['header']}>
      <SidebarButton />
      <h1 title={title}>{visible(title)}</h1>
      {chat?.status && (
        <span className={css['status']}>
          <Status status={chat.status} />
        </span>
      )}
      <span className={css['space']} />
      {usage && <UsageMark usage={usage} />}
      <Connection view={view} />
      {chat && <ChatMenu chat={chat} />}
      {hasPanel && <PanelButton />}
    </header>
  );
}

/** While the panel is closed and there is room, it has a name: most of the page is behind it. */
function PanelButton() {
  const panel = usePanelFlag();
  const isOpen = useStore(panel);
  const hasRoom = !useIsNarrow();
  const label = isOpen ? sidebarText.closePanel : sidebarText.openPanel;
  const icon = <PanelRightOpen size={16} aria-hidden />;
  if (isOpen || !hasRoom)
    return (
      <IconButton label={label} aria-pressed={isOpen} onClick={() => panel.set(!isOpen)}>
        {icon}
      </IconButton>
    );
  return (
    <Tooltip text={label}>
      <Button look="plain" aria-label={label} aria-pressed={false} onClick={() => panel.set(true)}>
        {sidebarText.panel}
        {icon}
      </Button>
    </Tooltip>
  );
}

/** Where the sidebar is not shown, the way to it. */
export function SidebarButton() {
  const isSheet = useIsMedium();
  const flag = isSheet ? sheetIsOpen : sidebarIsOpen;
  const isOpen = useStore(flag);
  if (isOpen && !isSheet) return null;
  return (
    <IconButton label={sidebarText.openSidebar} onClick={() => flag.set(true)}>
      <PanelLeftOpen size={16} aria-hidden />
    </IconButton>
  );
}

function Connection({ view: { connection, retryAt } }: { view: ChatView }) {
  const isLive = connection === 'live';
  const seconds = useSecondsUntil(isLive ? null : retryAt);
  return (
    <span
      className={css['connection']}
      data-testid="connection"
      data-live={isLive}
      aria-live="polite"
    >
      <Mark tone={isLive ? 'good' : 'wait'}>
        {isLive ? sidebarText.live : sidebarText.reconnecting}
        {seconds > 0 && <span aria-hidden> ({seconds} s)</span>}
      </Mark>
    </span>
  );
}

function useSecondsUntil(at: number | null): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (at === null) return;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [at]);
  return at === null ? 0 : Math.max(0, Math.ceil((at - now) / 1000));
}
