import { useState } from 'react';
import { client } from '../../session/client';
import { common } from '../../strings/common';
import { keysText as text, operateText } from '../../strings/operate';
import { visible } from '../../text/visible';
import { Button } from '../../ui/button';
import { Confirm } from '../confirm';
import { Shown } from '../shown';
import { MoreRows, Table } from '../table';
import { usePages } from '../use-pages';
import { When } from '../when';
import { NewKey } from './new-key';
import css from '../operate.module.css';

type Key = Awaited<ReturnType<typeof client.keys.list>>['items'][number];

/** The API keys of the tenant, without their secrets. */
export function KeysPage() {
  const pages = usePages((cursor) => client.keys.list({ limit: 50, cursor }));
  const [isNew, setNew] = useState(false);
  const [removed, setRemoved] = useState<Key>();
  return (
    <Shown of={{ value: pages.items, error: pages.error }} onRetry={pages.reload}>
      {(items) => (
        <>
          <div className={css['bar']}>
            <h2>{text.list}</h2>
            <Button look="primary" onClick={() => setNew(true)}>
              {text.create}
            </Button>
          </div>
          <Table<Key>
            label={operateText.pages.keys}
            rows={items}
            keyOf={({ id }) => id}
            empty={text.none}
            columns={[
              { name: text.id, cell: ({ id }) => <code className={css['id']}>{id}</code> },
              { name: text.user, cell: ({ user_id }) => visible(user_id) },
              { name: text.scopes, cell: ({ scopes }) => scopes.join(', ') },
              { name: text.created, cell: ({ created_at }) => <When at={created_at} /> },
              { name: text.by, cell: ({ created_by }) => visible(created_by) },
              {
                name: text.expires,
                cell: ({ expires_at }) => (expires_at ? <When at={expires_at} /> : text.never),
              },
              {
                name: common.delete,
                isActions: true,
                cell: (key) => (
                  <Button look="plain" onClick={() => setRemoved(key)}>
                    {common.delete}
                  </Button>
                ),
              },
            ]}
          />
          {pages.hasMore && <MoreRows onMore={pages.more}>{operateText.more}</MoreRows>}
          {isNew && (
            <NewKey
              onClose={() => {
                setNew(false);
                pages.reload();
              }}
            />
          )}
          {removed && (
            <Confirm
              title={text.deleteTitle}
              description={text.deleteHint(removed.user_id)}
              verb={common.delete}
              action={async () => {
                await client.keys.delete(removed.id);
                pages.reload();
              }}
              onClose={() => setRemoved(undefined)}
            />
          )}
        </>
      )}
    </Shown>
  );
}
