import { Bot, MessageSquareText } from 'lucide-react';
import type { RecordEvent } from 'parley/client';
import { useMemo, useState } from 'react';
import type { ChatView } from '../chat/open-chat';
import { isActive, turnOf } from '../chat/turns';
import type { Turn } from '../chat/turns';
import { TurnPicker } from '../panel/turn-picker';
import panel from '../panel/panel.module.css';
import { useLog } from '../records/logs';
import { changeAddress } from '../routes/address';
import { agentText as text } from '../strings/agents';
import { cost, duration, tokens } from '../strings/amounts';
import { common } from '../strings/common';
import { visible } from '../text/visible';
import { IconButton } from '../ui/button';
import { Fault } from '../ui/fault';
import { Mark } from '../ui/status';
import { useNow } from '../ui/use-now';
import { Intervene, Receipts } from './intervene';
import { TONES } from './state-tones';
import { treeOf } from './tree';
import type { AgentRow } from './tree';
import css from './agents.module.css';

interface AgentsViewProps {
  readonly view: ChatView;
  readonly turns: readonly Turn[];
  readonly turn: Turn | undefined;
}

/** The agents of one turn, live, and those of other turns that run. */
export function AgentsView({ view, turns, turn }: AgentsViewProps) {
  const others = Object.keys(view.conversation?.interactions ?? {})
    .map((id) => turnOf(view, id))
    .filter((it) => it !== undefined && it.id !== turn?.id && isActive(it.status));
  if (!turn) return <p className={panel['note']}>{text.none}</p>;
  return (
    <>
      <TurnPicker turns={turns} turn={turn} />
      <div className={css['scroller']}>
        <Tree turn={turn} />
        {others.length > 0 && <h2 className={css['also']}>{text.also}</h2>}
        {others.map((each) => (
          <Tree key={each!.id} turn={each!} />
        ))}
      </div>
    </>
  );
}

function Tree({ turn }: { turn: Turn }) {
  const { records, isWhole, error, retry } = useLog(turn.id, turn);
  const live = turn.live?.agents;
  const root = useMemo(() => treeOf(records, live), [records, live]);
  if (error !== undefined) return <Fault error={error} onRetry={retry} />;
  if (!root || !isWhole) return <p className={panel['note']}>{common.loading}</p>;
  return (
    <ul className={css['tree']} data-testid="agent-tree" aria-label={text.tree}>
      <Node row={root} turnId={turn.id} records={records} />
    </ul>
  );
}

interface NodeProps {
  readonly row: AgentRow;
  readonly turnId: string;
  readonly records: readonly RecordEvent[];
}

function Node({ row, turnId, records }: NodeProps) {
  const [isSteering, setSteering] = useState(false);
  const { id, type, prompt, state, tool_name, hasEnded, children } = row;
  const word = state === 'executing_tool' && tool_name ? text.runs(tool_name) : text.states[state];
  return (
    <li className={css['node']} data-testid="agent-node" data-agent={id} data-state={state}>
      <div className={css['row']}>
        <button
          type="button"
          className={css['open']}
          title={text.open(type)}
          onClick={() => changeAddress({ params: { agent: id } })}
        >
          <span className={css['head']}>
            <Bot size={14} aria-hidden />
            <b>{visible(type)}</b>
            <Mark tone={TONES[state]}>{visible(word)}</Mark>
          </span>
          <span className={css['prompt']}>{visible(prompt)}</span>
          <Amounts row={row} />
        </button>
        {!hasEnded && (
          <IconButton
            label={text.steer}
            data-testid="intervene"
            aria-expanded={isSteering}
            onClick={() => setSteering(!isSteering)}
          >
            <MessageSquareText size={14} aria-hidden />
          </IconButton>
        )}
      </div>
      {isSteering && (
        <Intervene agentId={id} hasEnded={hasEnded} onDone={() => setSteering(false)} />
      )}
      <Receipts agentId={id} hasEnded={hasEnded} interactionId={turnId} records={records} />
      {children.length > 0 && (
        <ul>
          {children.map((child) => (
            <Node key={child.id} row={child} turnId={turnId} records={records} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** Tokens, cost, calls and time of an agent. */
function Amounts({ row }: { row: AgentRow }) {
  const { started_at, ended_at, calls, cost_usd } = row;
  const now = useNow(ended_at === null ? 1000 : null);
  const parts = [
    row.tokens > 0 ? tokens(row.tokens) : '',
    cost_usd === null ? '' : cost(cost_usd),
    calls > 0 ? text.calls(calls) : '',
    duration((ended_at ?? Math.max(now, started_at)) - started_at),
  ];
  return <small className={css['amounts']}>{parts.filter(Boolean).join(' · ')}</small>;
}
