import { useState } from 'react';
import { client } from '../session/client';
import { common } from '../strings/common';
import { operateText, runsText as text } from '../strings/operate';
import { visible } from '../text/visible';
import { Button } from '../ui/button';
import { Fault } from '../ui/fault';
import { Status } from '../ui/status';
import { ChatPlace } from './chat-place';
import { Confirm } from './confirm';
import { Shown } from './shown';
import { MoreRows, Table } from './table';
import { useLoaded } from './use-loaded';
import { When } from './when';
import css from './operate.module.css';

const PAGE = 50;
type Run = Awaited<ReturnType<typeof client.interactions.list>>['items'][number];

/** Interactions that run, wait or are queued, of all users. */
export function RunsPage() {
  const [limit, setLimit] = useState(PAGE);
  const loaded = useLoaded((signal) => client.interactions.list({ limit }, { signal }), {
    parts: [limit],
    every: 5000,
  });
  const [asks, setAsks] = useState(false);
  const [error, setError] = useState<unknown>();
  const cancel = async (ids: readonly string[] | 'all'): Promise<void> => {
    await client.interactions.cancelMany(
      ids === 'all' ? { all: true } : { interaction_ids: [...ids] },
    );
    loaded.reload();
  };
  return (
    <Shown of={loaded} onRetry={loaded.reload}>
      {({ items, next_cursor }) => (
        <>
          <div className={css['bar']}>
            <h2>{text.count(items.length, next_cursor !== null)}</h2>
            {items.length > 0 && (
              <Button look="danger" onClick={() => setAsks(true)}>
                {text.cancelAll}
              </Button>
            )}
          </div>
          {error !== undefined && <Fault error={error} />}
          <Table<Run>
            label={operateText.pages.runs}
            rows={items}
            keyOf={({ id }) => id}
            empty={text.none}
            columns={[
              {
                name: text.chat,
                cell: ({ chat_id, id }) => <ChatPlace id={chat_id} interactionId={id} />,
              },
              { name: text.status, cell: ({ status }) => <Status status={status} /> },
              { name: text.agent, cell: ({ agent }) => visible(agent) },
              { name: text.model, cell: ({ model }) => visible(model) },
              { name: text.user, cell: ({ started_by }) => visible(started_by) },
              { name: text.since, cell: ({ created_at }) => <When at={created_at} /> },
              {
                name: text.tokens,
                isNumber: true,
                cell: ({ usage }) => text.number(usage.input_tokens + usage.output_tokens),
              },
              {
                name: common.cancel,
                isActions: true,
                cell: ({ id, is_cancelling }) => (
                  <Button
                    look="plain"
                    disabled={is_cancelling}
                    onClick={() => void cancel([id]).catch(setError)}
                  >
                    {is_cancelling ? text.cancelling : common.cancel}
                  </Button>
                ),
              },
            ]}
          />
          {next_cursor !== null && limit < 500 && (
            <MoreRows onMore={() => setLimit(limit + PAGE)}>{operateText.more}</MoreRows>
          )}
          {asks && (
            <Confirm
              title={text.cancelAllTitle}
              description={text.cancelAllHint}
              verb={text.cancelAll}
              action={() => cancel('all')}
              onClose={() => setAsks(false)}
            />
          )}
        </>
      )}
    </Shown>
  );
}
