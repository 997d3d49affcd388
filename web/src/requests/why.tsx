import { Link } from 'wouter';
import { requestText as strings } from '../strings/requests';
import { visible } from '../text/visible';
import css from './requests.module.css';

const RULE = /(rule_[0-9a-f-]{36})/;

/** Why a call is asked about; a rule that is named there is a link to it. */
export function Why({ text }: { text: string }) {
  const parts = visible(text).split(RULE);
  return (
    <p className={css['why']}>
      {strings.why}:{' '}
      {parts.map((part, at) =>
        RULE.test(part) ? (
          <Link key={at} href={`/operate/rules?rule=${part}`}>
            {part}
          </Link>
        ) : (
          part
        ),
      )}
    </p>
  );
}
