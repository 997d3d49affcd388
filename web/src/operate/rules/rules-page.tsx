import { useState } from 'react';
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { MatcherView } from '../../requests/matcher-view';
import { client } from '../../session/client';
import { common } from '../../strings/common';
import { operateText } from '../../strings/operate';
import { ruleText as text } from '../../strings/rules';
import { visible } from '../../text/visible';
import { Button } from '../../ui/button';
import { Fault } from '../../ui/fault';
import { Shown } from '../shown';
import { MoreRows, NOTHING, Table } from '../table';
import type { Column } from '../table';
import { usePages } from '../use-pages';
import { VerdictMark } from '../verdict-mark';
import { When } from '../when';
import { AddRule } from './add-rule';
import { DryRun } from './dry-run';
import css from '../operate.module.css';

export type Rule = Awaited<ReturnType<typeof client.permissions.list>>['items'][number];

/** The permission rules in the order in which they are looked at, and what they would say. */
export function RulesPage() {
  const pages = usePages((cursor) => client.permissions.list({ limit: 100, cursor }));
  const [params] = useSearchParams();
  const [isAdding, setAdding] = useState(false);
  const [error, setError] = useState<unknown>();
  const remove = async (id: string): Promise<void> => {
    setError(undefined);
    try {
      await client.permissions.remove(id);
      pages.reload();
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <Shown of={{ value: pages.items, error: pages.error }} onRetry={pages.reload}>
      {(items) => (
        <>
          <DryRun />
          <section>
            <div className={css['bar']}>
              <h2>{text.list}</h2>
              <Button aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
                {text.add}
              </Button>
            </div>
            {isAdding && (
              <AddRule
                onAdded={() => {
                  setAdding(false);
                  pages.reload();
                }}
              />
            )}
            {error !== undefined && <Fault error={error} />}
            <Table
              label={operateText.pages.rules}
              columns={[...COLUMNS, removal(remove)]}
              rows={items}
              keyOf={({ id }) => id}
              empty={text.none}
              isCurrent={({ id }) => id === params.get('rule')}
            />
            {pages.hasMore && <MoreRows onMore={pages.more}>{operateText.more}</MoreRows>}
          </section>
        </>
      )}
    </Shown>
  );
}

const COLUMNS: readonly Column<Rule>[] = [
  { name: text.decision, cell: ({ decision }) => <VerdictMark decision={decision} /> },
  { name: text.matcher, cell: ({ matcher }) => <MatcherView matcher={matcher} /> },
  { name: text.where, cell: ({ scope, scope_id }) => visible(text.scopeOf(scope, scope_id)) },
  { name: text.order, isNumber: true, cell: ({ priority }) => priority },
  { name: text.limits, cell: (rule) => limitsOf(rule) },
  { name: text.description, cell: ({ description }) => visible(description ?? NOTHING) },
];

function removal(remove: (id: string) => Promise<void>): Column<Rule> {
  return {
    name: common.delete,
    isActions: true,
    cell: ({ id, created_at }) =>
      created_at === null ? (
        <small>{text.ofFile}</small>
      ) : (
        <Button look="plain" onClick={() => void remove(id)}>
          {common.delete}
        </Button>
      ),
  };
}

function limitsOf({ expires_at, max_uses, uses }: Rule): ReactNode {
  if (expires_at === null && max_uses === null) return NOTHING;
  return (
    <>
      {max_uses !== null && <div>{text.uses(uses, max_uses)}</div>}
      {expires_at !== null && (
        <div>
          {text.until} <When at={expires_at} />
        </div>
      )}
    </>
  );
}
