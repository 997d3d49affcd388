import { ArrowLeft } from 'lucide-react';
import { ParleyError } from 'parley/client';
import { useEffect, useMemo, useRef, useState } from 'react';
import { AgentItems } from '../chat/items/agent-items';
import { turnOf } from '../chat/turns';
import type { Requests, Turn } from '../chat/turns';
import { useLog } from '../records/logs';
import { PastBar } from '../records/past-bar';
import { stateAt, viewAt } from '../records/past';
import { IsPast } from '../records/use-shown';
import type { Shown } from '../records/use-shown';
import { changeAddress } from '../routes/address';
import { client } from '../session/client';
import { agentText as text } from '../strings/agents';
import { common } from '../strings/common';
import { visible } from '../text/visible';
import { Button, IconButton } from '../ui/button';
import { Fault } from '../ui/fault';
import { Mark } from '../ui/status';
import { Intervene, Receipts } from './intervene';
import { TONES } from './state-tones';
import { flat, treeOf } from './tree';
import css from './agents.module.css';
import page from '../chat/chat-page.module.css';

/** The conversation of one agent, in place of the chat's. */
export function AgentPage({ agentId, shown }: { agentId: string; shown: Shown }) {
  const here = shown.turns.find((turn) => hasAgent(turn, agentId));
  const { id, error } = useInteractionOf(agentId, here?.id);
  const { turn, requests, isLoading, fault, retry } = useWholeTurn(id, here, shown);
  if (error !== undefined) return <Missing error={error} />;
  if (fault !== undefined) return <Fault error={fault} onRetry={retry} />;
  if (!turn || isLoading) return <p className={css['said']}>{common.loading}</p>;
  return <Conversation agentId={agentId} turn={turn} requests={requests} past={shown.past} />;
}

interface ConversationProps {
  readonly agentId: string;
  readonly turn: Turn;
  readonly requests: Requests | undefined;
  readonly past: Shown['past'];
}

function Conversation({ agentId, turn, requests, past }: ConversationProps) {
  const { records, live } = turn;
  const row = useMemo(() => {
    const root = treeOf(records, live?.agents);
    return root && flat(root).find(({ id }) => id === agentId);
  }, [records, live, agentId]);
  const scroller = useStickToEnd();
  if (!row) return <Missing error={undefined} />;
  return (
    <section className={css['page']} data-testid="agent-conversation" aria-label={row.type}>
      <div className={css['title']}>
        <IconButton label={text.backToChat} onClick={leave}>
          <ArrowLeft size={16} aria-hidden />
        </IconButton>
        <h2>{visible(row.type)}</h2>
        <p>{visible(row.prompt)}</p>
        <Mark tone={TONES[row.state]}>{text.states[row.state]}</Mark>
      </div>
      <div className={css['frame']}>
        {past && <PastBar past={past} />}
        <div className={css['said']} ref={scroller}>
          <div>
            <p className={css['task']}>{visible(row.prompt)}</p>
            <IsPast value={past !== null}>
              <AgentItems turn={turn} agentId={agentId} requests={requests} />
            </IsPast>
          </div>
        </div>
      </div>
      {!past && (
        <div className={css['foot']}>
          <div>
            <Receipts
              agentId={agentId}
              hasEnded={row.hasEnded}
              interactionId={turn.id}
              records={records}
            />
            <Intervene agentId={agentId} hasEnded={row.hasEnded} />
          </div>
        </div>
      )}
    </section>
  );
}

function Missing({ error }: { error: unknown }) {
  const isGone = error === undefined || (error instanceof ParleyError && error.status === 404);
  return (
    <div className={page['gone']}>
      {isGone ? (
        <>
          <h1>{text.missing}</h1>
          <p>{text.missingHint}</p>
        </>
      ) : (
        <Fault error={error} />
      )}
      <Button onClick={leave}>{text.backToChat}</Button>
    </div>
  );
}

function leave(): void {
  changeAddress({ params: { agent: null } });
}

function hasAgent({ agent_id, live, records }: Turn, agentId: string): boolean {
  if (agent_id === agentId) return true;
  if (live) return live.agents.some(({ id }) => id === agentId);
  return records.some((record) => record.agent_id === agentId);
}

/** The interaction that an agent belongs to: asked of the server if the page does not know it. */
function useInteractionOf(
  agentId: string,
  known: string | undefined,
): { readonly id: string | undefined; readonly error: unknown } {
  const [found, setFound] = useState<string>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (known !== undefined) return;
    const stop = new AbortController();
    client.agents.get(agentId, { signal: stop.signal }).then(
      ({ interaction_id }) => setFound(interaction_id),
      (thrown: unknown) => !stop.signal.aborted && setError(thrown),
    );
    return () => stop.abort();
  }, [agentId, known]);
  return { id: known ?? found, error: known === undefined ? error : undefined };
}

/** The turn with all of its records. */
function useWholeTurn(id: string | undefined, here: Turn | undefined, { view, past }: Shown) {
  const turn = here ?? (id === undefined ? undefined : turnOf(view, id));
  const { records, isWhole, error, retry } = useLog(id, turn);
  const isThere = turn?.live != null && turn.records[0]?.seq === 1;
  const whole = useMemo(() => {
    const requests = view.conversation?.requests;
    if (isThere) return { turn, requests, isLoading: false, fault: undefined };
    const isLoading = !isWhole && past === null;
    const state = isLoading ? undefined : stateAt(records, Infinity);
    if (!state || id === undefined) return { turn: undefined, isLoading, fault: error };
    const then = viewAt(view, id, state);
    const loaded = turnOf(then, id);
    return { turn: loaded, requests: then.conversation?.requests, isLoading, fault: error };
    // Deltas change the view, but nothing of a log that is read.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- see above
  }, [id, isThere ? turn : records, isWhole, error, view.conversation?.requests]);
  return { ...whole, retry };
}

/** The end stays in sight unless the reader has scrolled away from there. */
function useStickToEnd() {
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    let sticks = true;
    const onScroll = (): void => {
      sticks = box.scrollHeight - box.scrollTop - box.clientHeight < 48;
    };
    const observer = new ResizeObserver(() => {
      if (sticks) box.scrollTop = box.scrollHeight;
    });
    box.addEventListener('scroll', onScroll);
    for (const child of box.children) observer.observe(child);
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', onScroll);
    };
  }, []);
  return scroller;
}
