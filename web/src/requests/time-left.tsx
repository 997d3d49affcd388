import { requestText as text } from '../strings/requests';
import { useNow } from '../ui/use-now';
import css from './requests.module.css';

/** Within so many ms of its end a request is urgent. */
const SOON = 60_000;

/** How long a request waits at most; nothing for one that waits for good. */
export function TimeLeft({ expires_at }: { expires_at: string | null }) {
  const now = useNow(expires_at === null ? null : 1000);
  if (expires_at === null) return null;
  const left = Date.parse(expires_at) - now;
  return (
    <time
      className={css['left']}
      dateTime={expires_at}
      title={new Date(expires_at).toLocaleString()}
      data-soon={left < SOON}
    >
      {left > 0 ? text.expires(text.left(left)) : text.expired}
    </time>
  );
}
