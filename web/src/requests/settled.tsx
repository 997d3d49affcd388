import { requestText as text } from '../strings/requests';
import { visible } from '../text/visible';
import { useNow } from '../ui/use-now';
import type { CardRequest } from './request';
import css from './requests.module.css';

/** How a request was settled, by whom and when. */
export function Settled({ request }: { request: CardRequest }) {
  const at = request.settlement?.at;
  const now = useNow(at === undefined ? null : 5000);
  const ago = at === undefined ? '' : text.ago(Math.max(0, now - Date.parse(at)));
  return (
    <p className={css['settled']} data-testid="settled" title={at && new Date(at).toLocaleString()}>
      {visible(text.settled(request, ago))}
    </p>
  );
}
