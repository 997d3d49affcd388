import type { Usage } from 'parley/client';
import { text } from '../strings/chat';
import { Tooltip } from '../ui/tooltip';
import css from './chat-page.module.css';

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const DOLLARS = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  maximumSignificantDigits: 3,
});

/** Tokens, and the cost where it is known. */
export function UsageMark({ usage }: { usage: Usage }) {
  const { input_tokens, output_tokens, cached_tokens, cost_usd } = usage;
  if (input_tokens + output_tokens === 0) return null;
  const detail = [
    text.tokens(input_tokens, output_tokens),
    cached_tokens ? text.cached(cached_tokens) : '',
  ];
  return (
    <Tooltip text={detail.filter(Boolean).join(', ')}>
      <button type="button" className={css['usage']} data-testid="usage">
        {COMPACT.format(input_tokens + output_tokens)} tokens
        {cost_usd !== undefined && ` · ${DOLLARS.format(cost_usd)}`}
      </button>
    </Tooltip>
  );
}
