import { Bot, ChevronRight } from 'lucide-react';
import type { AgentNode, RequestState } from 'parley/client';
import { use, useMemo, useState } from 'react';
import { text } from '../../strings/chat';
import { PastCard } from '../../requests/past-card';
import { QuestionCard } from '../../requests/question-card';
import { ItemFrame } from './item-frame';
import { useItemWindow } from './item-window';
import { IsPast } from '../../records/use-shown';
import { itemsOf } from './items';
import type { Item } from './items';
import { LineItem } from './line-item';
import { Markdown } from '../../markdown/markdown';
import { placeOf, agentAt } from '../place';
import { useTargetIn } from '../target';
import { Thinking } from './thinking';
import { ToolCall } from '../tool-call/tool-call';
import { isActive } from '../turns';
import type { Requests, Turn } from '../turns';
import css from './agent-items.module.css';
import { visible } from '../../text/visible';
import { Mark } from '../../ui/status';
import { TONES } from '../../agents/state-tones';
import type { AgentState } from '../../agents/tree';
import { agentText } from '../../strings/agents';
import agentCss from './sub-agent.module.css';

const NONE: Requests = [];

interface AgentItemsProps {
  readonly turn: Turn;
  readonly agentId: string;
  readonly requests: Requests | undefined;
}

/** All that one agent of a turn said and did. */
export function AgentItems({ turn, agentId, requests = NONE }: AgentItemsProps) {
  const items = useMemo(() => itemsOf(turn, agentId, requests), [turn, agentId, requests]);
  const target = useTargetIn(turn.id);
  const place = target?.seq != null ? placeOf(turn, agentId, items, target.seq) : undefined;
  const index = place ? items.indexOf(place) : -1;
  const { start, end, ...more } = useItemWindow(items.length, index, use(IsPast));
  const isWaiting = items.length === 0 && isActive(turn.status);
  return (
    <div className={css['items']}>
      {start > 0 && (
        <button type="button" className={css['more']} onClick={more.showEarlier}>
          {text.earlierSteps(start)}
        </button>
      )}
      {items.slice(start, end).map((item) => (
        <ItemFrame key={`${item.kind} ${item.key}`} target={item === place ? target : null}>
          <ItemView item={item} turn={turn} requests={requests} />
        </ItemFrame>
      ))}
      {end < items.length && (
        <button type="button" className={css['more']} onClick={more.showLater}>
          {text.laterSteps(items.length - end)}
        </button>
      )}
      {isWaiting && <p className={css['waiting']}>{text.writing}</p>}
    </div>
  );
}

interface ItemViewProps {
  readonly item: Item;
  readonly turn: Turn;
  readonly requests: Requests;
}

function ItemView({ item, turn, requests }: ItemViewProps) {
  const isPast = use(IsPast);
  switch (item.kind) {
    case 'text':
      return (
        <>
          <Markdown source={item.text} isOpen={item.isOpen} />
          {item.isPartial && <p className={css['partial']}>{text.partial}</p>}
        </>
      );
    case 'thinking':
      return <Thinking id={item.key} text={item.text} isOpen={item.isOpen} />;
    case 'call':
      return (
        <ToolCall
          item={item}
          isActive={isActive(turn.status)}
          waitsForPerson={item.agents.some((id) => requestOf(turn, id, requests))}
          renderAgent={(id) => <SubAgent key={id} turn={turn} agentId={id} requests={requests} />}
        />
      );
    case 'question':
      return isPast && item.request.status === 'pending' ? (
        <PastCard request={item.request} />
      ) : (
        <QuestionCard request={item.request} />
      );
    case 'agent':
      return <SubAgent turn={turn} agentId={item.agent_id} requests={requests} />;
    case 'line':
      return <LineItem record={item.record} />;
  }
}

interface SubAgentProps {
  readonly turn: Turn;
  readonly agentId: string;
  readonly requests: Requests;
}

/** An agent that another has started: one line, and on request all that it says and does. */
function SubAgent({ turn, agentId, requests }: SubAgentProps) {
  const [shown, setShown] = useState<boolean>();
  const seq = useTargetIn(turn.id)?.seq ?? null;
  const isNamed = seq !== null && holds(turn, agentId, agentAt(turn, seq));
  const request = requestOf(turn, agentId, requests);
  // Neither a decision nor the record that the address names is ever hidden.
  const isShown = shown ?? (request !== undefined || isNamed);
  const agent = turn.live?.agents.find(({ id }) => id === agentId);
  const started = turn.records.find((it) => it.type === 'AGENT_STARTED' && it.agent_id === agentId);
  const state = request ? ASKS[request.kind] : stateOf(agent);
  const prompt = agent?.prompt ?? (started?.type === 'AGENT_STARTED' ? started.prompt : '');
  return (
    <section className={agentCss['agent']} data-agent={agentId}>
      <button type="button" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
        <ChevronRight size={14} aria-hidden />
        <Bot size={14} aria-hidden />
        <b>{agent?.type ?? text.subAgent}</b>
        <span>{visible(prompt)}</span>
        <Mark tone={TONES[state]}>{agentText.states[state]}</Mark>
      </button>
      {isShown && (
        <div className={agentCss['inner']}>
          <AgentItems turn={turn} agentId={agentId} requests={requests} />
        </div>
      )}
    </section>
  );
}

const ASKS = {
  approval: 'waiting_permission',
  input: 'awaiting_user',
  tool: 'awaiting_user',
} as const satisfies Record<RequestState['kind'], AgentState>;

/** State according to the stream; an agent that had ended before the page was opened is done. */
function stateOf(agent: AgentNode | undefined): AgentState {
  if (agent?.status !== 'running') return agent?.status ?? 'completed';
  return agent.now?.state ?? 'processing';
}

/** A pending request of the agent, or of one below it. */
function requestOf(turn: Turn, agentId: string, requests: Requests): RequestState | undefined {
  return requests.find(
    ({ status, interaction_id, agent_id }) =>
      status === 'pending' && interaction_id === turn.id && holds(turn, agentId, agent_id),
  );
}

/** The second agent is the first, or one below it. */
function holds(turn: Turn, agentId: string, other: string | null): boolean {
  const parents = new Map(
    turn.live?.agents.map(({ id, parent_agent_id }) => [id, parent_agent_id]),
  );
  for (let at: string | null | undefined = other; at; at = parents.get(at))
    if (at === agentId) return true;
  return false;
}
