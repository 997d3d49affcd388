import { useLocation, useRoute } from 'wouter';
import { feed } from '../feed/shared-feed';
import { OPERATE_PAGES } from '../operate/pages';
import { TABS, useShowTab } from '../panel/panel-tab';
import { client } from '../session/client';
import { credential, signOut } from '../session/credential';
import { saveLog } from '../chats/chat-menu';
import { paletteText as text } from '../strings/keys';
import { operateText } from '../strings/operate';
import { text as chatText } from '../strings/chat';
import { visible } from '../text/visible';
import { copyText } from '../ui/copy-button';
import { sheetIsOpen, sidebarIsOpen } from '../ui/layout';
import { useStore } from '../ui/store';
import { setTheme } from '../ui/theme';
import { useIsMedium } from '../ui/use-media';
import type { Entry } from './match';

interface EntriesOptions {
  readonly onKeys: () => void;
  /** Opens a dialog about the chat that is shown. */
  readonly onDialog: (dialog: 'rename' | 'delete') => void;
}

/** All that the palette offers here. */
export function useEntries(options: EntriesOptions): readonly Entry[] {
  const [, go] = useLocation();
  const chats = useStore(feed, (it) => it.chats);
  const page = (label: string, href: string): Entry => ({
    ...{ key: href, group: text.groups.page, label, run: () => go(href) },
  });
  return [
    page(text.newChat, '/'),
    page(text.inbox, '/inbox'),
    ...useHere(options),
    ...chats.map(({ id, title }) => ({
      key: `chat ${id}`,
      group: text.groups.chat,
      label: visible(title ?? chatText.untitled),
      run: () => go(`/chats/${id}`),
    })),
    ...OPERATE_PAGES.map((name) =>
      page(`${operateText.title}: ${operateText.pages[name]}`, `/operate/${name}`),
    ),
    ...useActions(options),
  ];
}

/** Actions on the chat that is shown. */
function useHere({ onDialog }: EntriesOptions): readonly Entry[] {
  const [isChat, params] = useRoute('/chats/:chat');
  const [, go] = useLocation();
  const show = useShowTab();
  const id = isChat ? params.chat : undefined;
  const chat = useStore(feed, ({ chats }) => chats.find((each) => each.id === id));
  if (id === undefined) return [];
  const isActive = chat?.status === 'RUNNING' || chat?.status?.startsWith('WAITING') === true;
  return [
    ...(isActive ? [here(text.stop, () => void stop(id))] : []),
    here(text.copyLink, () => void copyText(location.href.split('#', 1)[0]!)),
    ...TABS.map((tab) => here(text.tabs[tab], () => show(tab))),
    here(text.board, () => go(`/chats/${id}/board`)),
    ...(chat ? [here(text.rename, () => onDialog('rename'))] : []),
    here(text.export, () => void saveLog(id)),
    ...(chat ? [here(text.delete, () => onDialog('delete'))] : []),
  ];
}

function useActions({ onKeys }: EntriesOptions): readonly Entry[] {
  const isSignedIn = useStore(credential) !== null;
  const sidebar = useIsMedium() ? sheetIsOpen : sidebarIsOpen;
  return [
    action(text.sidebar, () => sidebar.set(!sidebar.get())),
    action(text.keys, onKeys),
    action(text.light, () => setTheme('light')),
    action(text.dark, () => setTheme('dark')),
    action(text.system, () => setTheme('system')),
    ...(isSignedIn ? [action(text.signOut, signOut)] : []),
  ];
}

function here(label: string, run: () => void): Entry {
  return { key: label, group: text.groups.here, label, run };
}

function action(label: string, run: () => void): Entry {
  return { key: label, group: text.groups.action, label, run };
}

async function stop(id: string): Promise<void> {
  const chat = await client.chats.get(id, { limit: 1 });
  if (chat.active_interaction_id) await client.interactions.cancel(id, chat.active_interaction_id);
}
