import { client } from '../session/client';
import { modelsText as text, operateText } from '../strings/operate';
import { visible } from '../text/visible';
import { Shown } from './shown';
import { NOTHING, Table } from './table';
import type { Column } from './table';
import { useLoaded } from './use-loaded';
import css from './operate.module.css';

type Model = Awaited<ReturnType<typeof client.models.list>>['items'][number];

const price = (dollars: number | undefined): string =>
  dollars === undefined ? NOTHING : text.usd(dollars);

const columnsOf = (usual: string | undefined): readonly Column<Model>[] => [
  {
    name: text.name,
    cell: ({ model, is_default }) => (
      <span>
        <b>{visible(model)}</b>{' '}
        {is_default && <small>{model === usual ? text.isDefault : text.isFallback}</small>}
      </span>
    ),
  },
  { name: text.agents, cell: ({ agents }) => visible(agents.join(', ')) || NOTHING },
  { name: text.images, cell: ({ sees_images }) => (sees_images ? text.seesImages : NOTHING) },
  {
    name: text.context,
    isNumber: true,
    cell: ({ context_tokens }) => text.number(context_tokens),
  },
  { name: text.input, isNumber: true, cell: (it) => price(it.price?.input) },
  { name: text.cached, isNumber: true, cell: (it) => price(it.price?.cached_input) },
  { name: text.output, isNumber: true, cell: (it) => price(it.price?.output) },
];

/** The models that can be offered, and what is known of them. */
export function ModelsPage() {
  const loaded = useLoaded((signal) => client.models.list({ signal }));
  return (
    <Shown of={loaded} onRetry={loaded.reload}>
      {({ items, providers, has_more }) => (
        <>
          <Table
            label={operateText.pages.models}
            columns={columnsOf(items.find((it) => it.is_default)?.model)}
            rows={items}
            keyOf={({ model }) => model}
            empty={text.none}
          />
          <p className={css['note']}>
            {has_more && text.hasMore} {text.perMillion}{' '}
            {text.others(visible(providers.join(', ')))}
          </p>
        </>
      )}
    </Shown>
  );
}
