import type { ReactNode } from 'react';
import { client } from '../session/client';
import { auditText as text, operateText } from '../strings/operate';
import { visible } from '../text/visible';
import { ChatPlace } from './chat-place';
import { Shown } from './shown';
import { MoreRows, NOTHING, Table } from './table';
import type { Column } from './table';
import { usePages } from './use-pages';
import { When } from './when';
import css from './operate.module.css';

type Entry = Awaited<ReturnType<typeof client.audit.list>>['items'][number];

const COLUMNS: readonly Column<Entry>[] = [
  { name: text.at, cell: ({ at }) => <When at={at} /> },
  { name: text.user, cell: ({ user_id }) => visible(user_id) },
  { name: text.action, cell: ({ action }) => <b>{text.actions[action] ?? action}</b> },
  {
    name: text.chat,
    cell: ({ chat_id, interaction_id }) =>
      chat_id === undefined ? (
        NOTHING
      ) : (
        <ChatPlace id={chat_id} {...(interaction_id && { interactionId: interaction_id })} />
      ),
  },
  { name: text.detail, cell: ({ detail }) => detailOf(detail) },
];

/** Actions of people, the newest first. */
export function AuditPage() {
  const pages = usePages((cursor) => client.audit.list({ limit: 50, cursor }));
  return (
    <Shown of={{ value: pages.items, error: pages.error }} onRetry={pages.reload}>
      {(items) => (
        <>
          <Table
            label={operateText.pages.audit}
            columns={COLUMNS}
            rows={items}
            keyOf={({ id }) => id}
            empty={text.none}
          />
          {pages.hasMore && <MoreRows onMore={pages.more}>{operateText.more}</MoreRows>}
        </>
      )}
    </Shown>
  );
}

function detailOf(detail: Readonly<Record<string, unknown>>): ReactNode {
  const entries = Object.entries(detail);
  if (entries.length === 0) return NOTHING;
  return (
    <dl className={css['detail']}>
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{visible(name)}</dt>
          <dd>{visible(typeof value === 'string' ? value : JSON.stringify(value))}</dd>
        </div>
      ))}
    </dl>
  );
}
