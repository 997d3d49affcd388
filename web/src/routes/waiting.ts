import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { feed } from '../feed/shared-feed';
import { keepNotifying } from '../inbox/notifications';
import { useDocumentTitle } from '../ui/page-title';
import { useStore } from '../ui/store';

/** Tells that something waits where people see it while they look elsewhere. */
export function useWaiting(): void {
  const waiting = useStore(feed, ({ requests }) => requests.length);
  const [, go] = useLocation();
  useDocumentTitle(waiting);
  useEffect(() => keepNotifying(go), [go]);
}
