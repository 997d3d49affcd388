import { useState } from 'react';
import { client } from '../session/client';
import { serverNow } from '../session/server-clock';
import { operateText, usageText as text } from '../strings/operate';
import { visible } from '../text/visible';
import ui from '../ui/ui.module.css';
import { QuotaMeters } from './quota-meters';
import { Shown } from './shown';
import { NOTHING, Table } from './table';
import type { Column } from './table';
import { useLoaded } from './use-loaded';
import css from './operate.module.css';

const KINDS = ['day', 'model', 'user'] as const;
type Sum = Awaited<ReturnType<typeof client.usage>>['items'][number];

const DAY_MS = 24 * 60 * 60 * 1000;
const SPANS = [7, 30, 90] as const;

/** Tokens and cost, by day, model or user. */
export function UsagePage() {
  const [by, setBy] = useState<(typeof KINDS)[number]>('day');
  const [days, setDays] = useState<number>(30);
  const loaded = useLoaded(
    (signal) => client.usage({ by, since: daysAgo(days - 1), limit: 200 }, { signal }),
    { parts: [by, days] },
  );
  return (
    <>
      <QuotaMeters />
      <div className={css['bar']}>
        <label>
          <span>{text.by}</span>
          <select
            className={ui['field']}
            value={by}
            onChange={({ target }) => setBy(KINDS.find((it) => it === target.value) ?? 'day')}
          >
            {KINDS.map((each) => (
              <option key={each} value={each}>
                {text.kinds[each]}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{text.span}</span>
          <select
            className={ui['field']}
            value={days}
            onChange={({ target }) => setDays(Number(target.value))}
          >
            {SPANS.map((each) => (
              <option key={each} value={each}>
                {text.days(each)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Shown of={loaded} onRetry={loaded.reload}>
        {({ items, has_more }) => (
          <>
            <Totals items={items} />
            <Table
              label={operateText.pages.usage}
              columns={columnsOf(items, text.heads[by])}
              rows={items}
              keyOf={nameOf}
              empty={text.none}
            />
            {has_more && <p className={css['note']}>{text.hasMore}</p>}
          </>
        )}
      </Shown>
    </>
  );
}

function Totals({ items }: { items: readonly Sum[] }) {
  const sum = (part: (item: Sum) => number): number =>
    items.reduce((all, item) => all + part(item), 0);
  const cost = sum(({ usage }) => usage.cost_usd ?? 0);
  return (
    <dl className={css['totals']}>
      <div>
        <dt>{text.interactions}</dt>
        <dd>{text.number(sum(({ interactions }) => interactions))}</dd>
      </div>
      <div>
        <dt>{text.input}</dt>
        <dd>{text.number(sum(({ usage }) => usage.input_tokens))}</dd>
      </div>
      <div>
        <dt>{text.output}</dt>
        <dd>{text.number(sum(({ usage }) => usage.output_tokens))}</dd>
      </div>
      <div>
        <dt>{text.cost}</dt>
        <dd>{cost > 0 ? text.usd(cost) : <small>{text.noPrices}</small>}</dd>
      </div>
    </dl>
  );
}

function columnsOf(items: readonly Sum[], head: string): readonly Column<Sum>[] {
  const most = Math.max(1, ...items.map(tokensOf));
  return [
    { name: head, cell: (item) => visible(nameOf(item)) },
    { name: text.interactions, isNumber: true, cell: (it) => text.number(it.interactions) },
    { name: text.input, isNumber: true, cell: ({ usage }) => text.number(usage.input_tokens) },
    {
      name: text.cached,
      isNumber: true,
      cell: ({ usage }) => (usage.cached_tokens ? text.number(usage.cached_tokens) : NOTHING),
    },
    { name: text.output, isNumber: true, cell: ({ usage }) => text.number(usage.output_tokens) },
    {
      name: text.cost,
      isNumber: true,
      cell: ({ usage }) => (usage.cost_usd === undefined ? NOTHING : text.usd(usage.cost_usd)),
    },
    {
      name: text.share,
      cell: (item) => (
        <meter
          className={css['meter']}
          min={0}
          max={most}
          value={tokensOf(item)}
          aria-label={text.number(tokensOf(item))}
        />
      ),
    },
  ];
}

function tokensOf({ usage }: Sum): number {
  return usage.input_tokens + usage.output_tokens;
}

function nameOf({ day, model, user_id }: Sum): string {
  return day ?? model ?? user_id ?? '';
}

/** The server counts days in UTC. */
function daysAgo(days: number): string {
  return new Date(serverNow() - days * DAY_MS).toISOString().slice(0, 10);
}
