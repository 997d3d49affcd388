import { Inbox, PanelLeftClose, Search, SlidersHorizontal, SquarePen } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { feed } from '../feed/shared-feed';
import { sidebarText as text } from '../strings/sidebar';
import { text as chatText } from '../strings/chat';
import { IconButton } from '../ui/button';
import { sheetIsOpen, sidebarIsOpen } from '../ui/layout';
import { useStore } from '../ui/store';
import { ChatList } from './chat-list';
import { Found } from './found';
import { ConnectionMark } from './connection-mark';
import { SettingsMenu } from './settings-menu';
import css from './sidebar.module.css';

export function Sidebar() {
  const [query, setQuery] = useState('');
  const searched = useDeferredValue(query.trim());
  const [location] = useLocation();
  const waiting = useStore(feed, ({ requests }) => requests.length);
  return (
    <nav className={css['sidebar']} aria-label={text.chats}>
      <div className={css['top']}>
        <IconButton label={text.closeSidebar} onClick={close}>
          <PanelLeftClose size={16} aria-hidden />
        </IconButton>
        <span className={css['name']}>Parley</span>
        <Link href="/" className={css['new']} data-testid="new-chat" onClick={leaveSheet}>
          <SquarePen size={16} aria-hidden />
          {chatText.newChat}
        </Link>
      </div>
      <ul className={css['places']}>
        <Place href="/inbox" isHere={location === '/inbox'} label={text.inbox} count={waiting}>
          <Inbox size={16} aria-hidden />
        </Place>
        <Place href="/operate" isHere={location.startsWith('/operate')} label={text.operate}>
          <SlidersHorizontal size={16} aria-hidden />
        </Place>
      </ul>
      <label className={css['search']}>
        <Search size={14} aria-hidden />
        <span className="visually-hidden">{text.search}</span>
        <input
          type="search"
          placeholder={text.search}
          maxLength={200}
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
      </label>
      <div className={css['list']} data-testid="chat-list">
        {searched === '' ? <ChatList /> : <Found query={searched} />}
      </div>
      <div className={css['bottom']}>
        <ConnectionMark />
        <SettingsMenu />
      </div>
    </nav>
  );
}

interface PlaceProps {
  readonly href: string;
  readonly isHere: boolean;
  readonly label: string;
  readonly count?: number;
  readonly children: React.ReactNode;
}

function Place({ href, isHere, label, count = 0, children }: PlaceProps) {
  return (
    <li>
      <Link href={href} aria-current={isHere ? 'page' : undefined} onClick={leaveSheet}>
        {children}
        <span>{label}</span>
        {count > 0 && <b>{count}</b>}
      </Link>
    </li>
  );
}

function close(): void {
  sidebarIsOpen.set(false);
  sheetIsOpen.set(false);
}

function leaveSheet(): void {
  sheetIsOpen.set(false);
}
