import { requestText as text } from '../strings/requests';
import ui from '../ui/ui.module.css';

export type RememberScope = 'session' | 'agent' | 'global';

const SCOPES = ['session', 'agent', 'global'] as const;

/** The scope in which a decision also holds from now on, if any. */
export function RememberChoice(props: {
  scope: RememberScope | null;
  onChange: (scope: RememberScope | null) => void;
}) {
  return (
    <select
      className={ui['field']}
      data-testid="remember"
      aria-label={text.remember}
      value={props.scope ?? ''}
      onChange={({ target }) => props.onChange(SCOPES.find((it) => it === target.value) ?? null)}
    >
      <option value="">{text.rememberNot}</option>
      {SCOPES.map((each) => (
        <option key={each} value={each}>
          {text.rememberScopes[each]}
        </option>
      ))}
    </select>
  );
}
