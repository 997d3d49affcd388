import { feed, feedConnection, feedFault } from '../feed/shared-feed';
import { credential } from '../session/credential';
import { sidebarText as text } from '../strings/sidebar';
import { visible } from '../text/visible';
import { faultText } from '../ui/fault';
import { Mark } from '../ui/status';
import { useStore } from '../ui/store';
import css from './sidebar.module.css';

/** The name of the person, or that the feed is not live. An open chat shows its own connection. */
export function ConnectionMark() {
  const state = useStore(feedConnection);
  const fault = useStore(feedFault);
  const isSignedIn = useStore(credential) !== null;
  const user = useStore(feed, ({ user_id }) => user_id);
  if (fault !== undefined) return <Mark tone="bad">{faultText(fault)}</Mark>;
  return (
    <span className={css['user']} aria-live="polite">
      {state === 'reconnecting' && <Mark tone="wait">{text.reconnecting}</Mark>}
      {state === 'live' && isSignedIn && user !== null && (
        <span title={text.signedInAs(visible(user))}>{visible(user)}</span>
      )}
    </span>
  );
}
