import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { ChatPage } from '../chat/chat-page';
import { NewChatPage } from '../chat/new-chat-page';
import { Sidebar } from '../chats/sidebar';
import { Keys } from '../keys/keys';
import { isRefused, session } from '../session/credential';
import { SignIn } from '../session/sign-in';
import { sheetIsOpen, sidebarIsOpen } from '../ui/layout';
import { useStore } from '../ui/store';
import { useIsMedium } from '../ui/use-media';
import { ErrorBoundary } from './error-boundary';
import { OutdatedBar } from './outdated-bar';
import { useWaiting } from './waiting';
import css from './app.module.css';

const InboxPage = lazy(() =>
  import('../inbox/inbox-page').then(({ InboxPage: it }) => ({ default: it })),
);
const OperatePage = lazy(() =>
  import('../operate/operate-page').then(({ OperatePage: it }) => ({ default: it })),
);
const BoardPage = lazy(() =>
  import('../board/board-page').then(({ BoardPage: it }) => ({ default: it })),
);

export function App() {
  const refused = useStore(isRefused);
  // Another credential sees other chats: nothing of the one before is kept.
  const number = useStore(session);
  if (refused) return <SignIn />;
  return <Signed key={number} />;
}

function Signed() {
  useWaiting();
  const [location] = useLocation();
  const isSheet = useIsMedium();
  const hasSidebar = useStore(isSheet ? sheetIsOpen : sidebarIsOpen);
  return (
    <div className={css['app']} data-sidebar={hasSidebar} data-sheet={isSheet}>
      {isSheet && hasSidebar && (
        <div className={css['shade']} onClick={() => sheetIsOpen.set(false)} aria-hidden />
      )}
      {hasSidebar && <Sidebar />}
      <main className={css['main']}>
        <OutdatedBar />
        <ErrorBoundary at={location}>
          <Suspense>
            <Switch>
              <Route path="/chats/:chat/board">
                {({ chat }) => <BoardPage key={chat} id={chat} />}
              </Route>
              <Route path="/chats/:chat">{({ chat }) => <ChatPage key={chat} id={chat} />}</Route>
              <Route path="/inbox">
                <InboxPage />
              </Route>
              <Route path="/operate">
                <Redirect to="/operate/rules" replace />
              </Route>
              <Route path="/operate/:page">{({ page }) => <OperatePage page={page} />}</Route>
              <Route>
                <NewChatPage />
              </Route>
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </main>
      <Keys />
    </div>
  );
}
