import { common } from '../strings/common';
import { sessionText as text } from '../strings/session';
import { isServerOutdated } from '../feed/server-version';
import { Button } from '../ui/button';
import { useStore } from '../ui/store';
import css from './app.module.css';

/** Says that the server was replaced by an older one while the page was open. */
export function OutdatedBar() {
  if (!useStore(isServerOutdated)) return null;
  return (
    <div className={css['outdated']} role="status" data-testid="outdated">
      <span>{text.outdated}</span>
      <Button look="plain" onClick={() => location.reload()}>
        {common.reload}
      </Button>
    </div>
  );
}
