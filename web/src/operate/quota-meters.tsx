import { client } from '../session/client';
import { quotasText as text } from '../strings/operate';
import { Mark } from '../ui/status';
import { useLoaded } from './use-loaded';
import css from './operate.module.css';

type Quota = Awaited<ReturnType<typeof client.quotas>>['items'][number];

/** The quotas that are set. If they can't be read, the rest of the page says why. */
export function QuotaMeters() {
  const { value } = useLoaded((signal) => client.quotas({ signal }), { every: 10_000 });
  if (value === undefined || value.items.length === 0) return null;
  return (
    <section>
      <h2>{text.title}</h2>
      <dl className={css['quotas']}>
        {value.items.map((item) => (
          <Row key={item.quota} {...item} />
        ))}
      </dl>
    </section>
  );
}

function Row({ quota, limit, used }: Quota) {
  const { name, limit: words } = text[quota];
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {used !== null && (
          <meter className={css['meter']} max={limit} value={used} aria-label={name} />
        )}
        {words(limit, used ?? 0)}
        {used !== null && used >= limit && <Mark tone="bad">{text.usedUp}</Mark>}
      </dd>
    </div>
  );
}
