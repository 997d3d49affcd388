import { matcherText } from '../strings/rules';
import { visible } from '../text/visible';
import css from './requests.module.css';

/** The subject of a permission rule: words of ours, and the texts of others apart from them. */
export function MatcherView({ matcher }: { matcher: Readonly<Record<string, unknown>> }) {
  const { words, code, rest } = matcherText(matcher);
  return (
    <div className={css['matcher']}>
      <span>{visible(words)}</span>
      {code.map((text, at) => (
        <code key={at}>{visible(text)}</code>
      ))}
      {rest !== undefined && <span>{rest}</span>}
    </div>
  );
}
