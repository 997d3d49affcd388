import { ParleyError } from 'parley/client';
import { client, SERVER_URL } from '../session/client';
import { healthText as text } from '../strings/operate';
import { visible } from '../text/visible';
import { Mark } from '../ui/status';
import type { Tone } from '../ui/status';
import { Shown } from './shown';
import { useLoaded } from './use-loaded';
import { When } from './when';
import css from './operate.module.css';

type Ready = Awaited<ReturnType<typeof client.health.ready>>;

interface Check {
  readonly name: string;
  readonly tone: Tone;
  readonly state: string;
  readonly since?: string;
  readonly detail?: string | null;
  readonly advice?: string;
}

/** The health of the server, with advice where something is wrong. */
export function HealthPage() {
  const loaded = useLoaded(readHealth, { every: 5000 });
  return (
    <Shown of={loaded} onRetry={loaded.reload}>
      {(ready) => (
        <>
          <ul className={css['checks']}>
            {checksOf(ready).map((check) => (
              <CheckRow key={check.name} check={check} />
            ))}
          </ul>
          {!hasDetails(ready) && <p className={css['note']}>{text.noDetails}</p>}
          <p className={css['note']}>
            {text.address} <code>{SERVER_URL}</code>
          </p>
        </>
      )}
    </Shown>
  );
}

function CheckRow({ check }: { check: Check }) {
  const { name, tone, state, since, detail, advice } = check;
  return (
    <li>
      <b>{visible(name)}</b>
      <Mark tone={tone}>{state}</Mark>
      {since !== undefined && (
        <span className={css['since']}>
          {text.since} <When at={since} />
        </span>
      )}
      {detail && <p>{visible(detail)}</p>}
      {advice !== undefined && <p>{advice}</p>}
    </li>
  );
}

/** A server that is not ready answers with an error that says why. */
async function readHealth(signal: AbortSignal): Promise<Ready | ParleyError> {
  try {
    return await client.health.ready({ signal });
  } catch (error) {
    if (error instanceof ParleyError && error.status === 503) return error;
    throw error;
  }
}

function hasDetails(ready: Ready | ParleyError): boolean {
  return !(ready instanceof ParleyError) && ready.sandbox !== undefined;
}

function checksOf(ready: Ready | ParleyError): readonly Check[] {
  if (ready instanceof ParleyError) return [notReady(ready)];
  const { status, degraded = [], sandbox, tool_servers = [] } = ready;
  const server: Check =
    status === 'ok'
      ? { name: text.server, tone: 'good', state: text.ok }
      : { name: text.server, tone: 'wait', state: text.degraded };
  // Servers of tools are told with more below.
  const isNoToolServer = ({ dependency }: { dependency: string }): boolean =>
    !tool_servers.some(({ name }) => dependency === `tools of ${name}`);
  return [
    server,
    ...degraded.filter(isNoToolServer).map(({ dependency, since, detail }) => ({
      ...{ name: dependency, tone: 'bad' as const, state: text.unavailable, since },
      ...(detail !== undefined && { detail }),
      advice: text.adviceOn(dependency),
    })),
    ...(sandbox ? [sandboxCheck(sandbox)] : []),
    ...tool_servers.map(toolServerCheck),
  ];
}

function notReady({ detail, problem }: ParleyError): Check {
  const [told, since] = [problem?.['dependency'], problem?.['since']];
  const dependency = typeof told === 'string' ? told : text.server;
  return {
    ...{ name: dependency, tone: 'bad', state: text.notReady, detail },
    ...(typeof since === 'string' && { since }),
    advice: text.adviceOn(dependency),
  };
}

function sandboxCheck({ kind, description }: NonNullable<Ready['sandbox']>): Check {
  const isOn = kind === 'bubblewrap';
  return {
    ...{ name: text.sandbox, tone: isOn ? 'good' : 'wait', state: text.sandboxes[kind] },
    detail: description,
    ...(!isOn && { advice: text.sandboxAdvice }),
  };
}

function toolServerCheck({
  name,
  state,
  since,
  problem,
}: NonNullable<Ready['tool_servers']>[number]): Check {
  const tone = { ready: 'good', connecting: 'run', unavailable: 'bad' } as const;
  return {
    ...{ name: text.toolServer(name), tone: tone[state], state: text.states[state], since },
    detail: problem,
    ...(state === 'unavailable' && { advice: text.adviceOn(`tools of ${name}`) }),
  };
}
