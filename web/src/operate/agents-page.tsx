import { client } from '../session/client';
import { agentsText as text, operateText } from '../strings/operate';
import { visible } from '../text/visible';
import { Shown } from './shown';
import { Table } from './table';
import type { Column } from './table';
import { useLoaded } from './use-loaded';
import css from './operate.module.css';

type AgentTypes = Awaited<ReturnType<typeof client.agents.types>>;
type AgentType = AgentTypes['items'][number];

const COLUMNS: readonly Column<AgentType>[] = [
  { name: text.name, cell: ({ name }) => <b>{visible(name)}</b> },
  { name: text.description, cell: ({ description }) => visible(description) },
  {
    name: text.source,
    cell: ({ source }) => (source ? <code>{visible(source)}</code> : text.code),
  },
  { name: text.model, cell: ({ model }) => visible(model ?? text.serverModel) },
  {
    name: text.iterations,
    isNumber: true,
    cell: ({ max_iterations }) => max_iterations ?? text.serverModel,
  },
];

/** The kinds of agents, and why files of others are not among them. */
export function AgentsPage() {
  const loaded = useLoaded((signal) => client.agents.types({ signal }));
  return (
    <Shown of={loaded} onRetry={loaded.reload}>
      {({ items, faults }) => (
        <>
          {faults && faults.length > 0 && (
            <section>
              <h2>{text.faults}</h2>
              <ul className={css['faults']}>
                {faults.map(({ file, line, message }) => (
                  <li key={`${file}:${line} ${message}`}>
                    <code>
                      {visible(file)}:{line}
                    </code>{' '}
                    {visible(message)}
                  </li>
                ))}
              </ul>
            </section>
          )}
          <Table
            label={operateText.pages.agents}
            columns={COLUMNS}
            rows={items}
            keyOf={({ name }) => name}
            empty={text.none}
          />
          <p className={css['note']}>{faults ? text.more : text.faultsHidden}</p>
        </>
      )}
    </Shown>
  );
}
