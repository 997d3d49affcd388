import { useState } from 'react';
import { client } from '../session/client';
import { operateText, toolsText as text } from '../strings/operate';
import { visible } from '../text/visible';
import { Mark } from '../ui/status';
import type { Tone } from '../ui/status';
import ui from '../ui/ui.module.css';
import { Shown } from './shown';
import { NOTHING, Table } from './table';
import type { Column } from './table';
import { useLoaded } from './use-loaded';
import { When } from './when';
import css from './operate.module.css';

type ToolList = Awaited<ReturnType<typeof client.tools.list>>;
type Tool = ToolList['items'][number];
type Server = ToolList['servers'][number];

const TONES: Readonly<Record<Server['state'], Tone>> = {
  ready: 'good',
  connecting: 'run',
  unavailable: 'bad',
};

const SERVER_COLUMNS: readonly Column<Server>[] = [
  { name: text.name, cell: ({ name }) => <b>{visible(name)}</b> },
  {
    name: text.state,
    cell: ({ state }) => <Mark tone={TONES[state]}>{text.states[state]}</Mark>,
  },
  { name: text.tools, isNumber: true, cell: ({ tools }) => tools },
  { name: text.since, cell: ({ since }) => <When at={since} /> },
  { name: text.problem, cell: ({ problem }) => visible(problem ?? '') || NOTHING },
];

const TOOL_COLUMNS: readonly Column<Tool>[] = [
  { name: text.name, cell: ({ name }) => <b>{visible(name)}</b> },
  {
    name: text.description,
    cell: ({ description }) => <Description>{visible(description)}</Description>,
  },
  { name: text.category, cell: ({ category }) => category },
  { name: text.risk, cell: ({ policy }) => text.risks[policy.risk] },
  {
    name: text.recovery,
    cell: ({ policy }) => text.recoveries[policy.recovery],
  },
];

/** The tools that agents can call, and where they come from. */
export function ToolsPage() {
  const loaded = useLoaded((signal) => client.tools.list({ signal }), { every: 10_000 });
  const [query, setQuery] = useState('');
  const wanted = query.trim().toLowerCase();
  return (
    <Shown of={loaded} onRetry={loaded.reload}>
      {({ items, servers }) => (
        <>
          <section>
            <h2>{text.servers}</h2>
            <Table
              label={text.servers}
              columns={SERVER_COLUMNS}
              rows={servers}
              keyOf={({ name }) => name}
              empty={text.noServers}
            />
          </section>
          <section>
            <div className={css['bar']}>
              <h2>{text.all(items.length)}</h2>
              <input
                className={ui['field']}
                type="search"
                aria-label={text.filter}
                placeholder={text.filter}
                value={query}
                onChange={({ target }) => setQuery(target.value)}
              />
            </div>
            <Table
              label={operateText.pages.tools}
              columns={TOOL_COLUMNS}
              rows={items.filter(({ name, category }) =>
                `${name} ${category}`.toLowerCase().includes(wanted),
              )}
              keyOf={({ name }) => name}
              empty={text.none}
            />
          </section>
        </>
      )}
    </Shown>
  );
}

/** Two lines; the whole on request. */
function Description({ children }: { children: string }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <button
      type="button"
      className={css['clamp']}
      aria-expanded={isWhole}
      onClick={() => setWhole(!isWhole)}
    >
      {children}
    </button>
  );
}
