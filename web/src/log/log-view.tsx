import { ArrowDownUp, Search } from 'lucide-react';
import type { RecordEvent } from 'parley/client';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { VList } from 'virtua';
import type { VListHandle } from 'virtua';
import type { ChatView } from '../chat/open-chat';
import { goToTarget, useTargetOf } from '../chat/target';
import type { Turn } from '../chat/turns';
import { useShownChat } from '../chat/use-chat';
import { useKeys } from '../keys/registry';
import panel from '../panel/panel.module.css';
import { useLogs } from '../records/logs';
import type { TurnLog } from '../records/logs';
import { changeAddress } from '../routes/address';
import { logText as text } from '../strings/log';
import { typeName } from '../strings/records';
import { IconButton } from '../ui/button';
import { Fault } from '../ui/fault';
import { useAction } from '../ui/use-action';
import { LogRecord } from './log-record';
import { LogRowView, rowId } from './log-row';
import { logRows, stepFrom, typesIn } from './rows';
import type { LogFilter, LogPart, LogRow } from './rows';
import css from './log.module.css';

const ALL: LogFilter = { text: '', type: null, order: 'newest' };

/** Every record of the chat in one list. */
export function LogView({ view, turns }: { view: ChatView; turns: readonly Turn[] }) {
  const chat = useShownChat();
  const logs = useLogs(turns);
  const [filter, setFilter] = useState(ALL);
  const parts = useParts(logs);
  const rows = useRows(parts, filter);
  const search = useRef<HTMLInputElement>(null);
  const failed = logs.filter(({ log }) => log.error !== undefined);
  const earlier = useAction();
  const unread = logs.filter(({ log }) => !log.isWhole && log.error === undefined).length;
  if (turns.length === 0) return <p className={panel['note']}>{text.empty}</p>;
  return (
    <div className={css['view']} data-testid="log-view">
      <Filter parts={parts} filter={filter} onChange={setFilter} search={search} />
      {failed[0] && (
        <Fault
          error={failed[0].log.error}
          onRetry={() => {
            for (const { log } of failed) log.retry();
          }}
        />
      )}
      {unread > 0 && <p className={css['note']}>{text.reading(unread)}</p>}
      {rows.length === 0 && unread === 0 ? (
        <p className={panel['note']}>{text.nothing}</p>
      ) : (
        <Rows rows={rows} onSearch={() => search.current?.focus()} />
      )}
      {view.nextBefore && (
        <button
          type="button"
          className={css['earlier']}
          onClick={() => earlier.run(() => chat.loadEarlier())}
        >
          {text.earlier}
        </button>
      )}
      {earlier.error !== undefined && <Fault error={earlier.error} />}
    </div>
  );
}

interface FilterProps {
  readonly parts: readonly LogPart[];
  readonly filter: LogFilter;
  readonly onChange: (filter: LogFilter) => void;
  readonly search: React.Ref<HTMLInputElement>;
}

function Filter({ parts, filter, onChange, search }: FilterProps) {
  const types = useMemo(() => typesIn(parts), [parts]);
  const other = filter.order === 'newest' ? 'oldest' : 'newest';
  return (
    <div className={css['filter']}>
      <label className={css['search']}>
        <Search size={14} aria-hidden />
        <input
          ref={search}
          type="search"
          aria-label={text.search}
          placeholder={text.search}
          value={filter.text}
          onChange={({ target }) => onChange({ ...filter, text: target.value })}
        />
      </label>
      <select
        aria-label={text.type}
        value={filter.type ?? ''}
        onChange={({ target }) =>
          onChange({ ...filter, type: (target.value || null) as LogFilter['type'] })
        }
      >
        <option value="">{text.allTypes}</option>
        {types.map((type) => (
          <option key={type} value={type}>
            {typeName(type)}
          </option>
        ))}
      </select>
      <IconButton
        label={text.orders[other]}
        aria-pressed={filter.order === 'oldest'}
        onClick={() => onChange({ ...filter, order: other })}
      >
        <ArrowDownUp size={14} aria-hidden />
      </IconButton>
    </div>
  );
}

function Rows({ rows, onSearch }: { rows: readonly LogRow[]; onSearch: () => void }) {
  const list = useRef<VListHandle>(null);
  const target = useTargetOf();
  const named = target?.seq != null ? rowId(target.interaction_id, target.seq) : undefined;
  const [current, setCurrent] = useState(named);
  const [hasFocus, setFocus] = useState(false);
  const [opened, setOpened] = useState<RecordEvent>();
  const index = rows.findIndex((row) => idOf(row) === current);
  // A record that the address names is in sight as soon as it is there.
  const shown = useRef<string>(undefined);
  useEffect(() => {
    if (named === undefined || shown.current === named) return;
    const at = rows.findIndex((row) => idOf(row) === named);
    if (at < 0) return;
    shown.current = named;
    setCurrent(named);
    list.current?.scrollToIndex(at, { align: 'nearest' });
  }, [named, rows]);

  // The list becomes shorter when a record is opened below it.
  const isOpen = opened !== undefined;
  useEffect(() => {
    if (!isOpen || index < 0) return;
    const frame = requestAnimationFrame(() =>
      requestAnimationFrame(() => list.current?.scrollToIndex(index, { align: 'nearest' })),
    );
    return () => cancelAnimationFrame(frame);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- a step scrolls by itself
  }, [isOpen]);

  const moveTo = (at: number): void => {
    const row = rows[at];
    if (row?.kind !== 'record') return;
    setCurrent(idOf(row));
    if (opened) setOpened(row.record);
    list.current?.scrollToIndex(at, { align: 'nearest' });
  };
  const open = (record: RecordEvent): void => {
    setCurrent(rowId(record.interaction_id, record.seq));
    setOpened(record);
    // The conversation of another agent would not show it.
    changeAddress({ params: { agent: null } });
    goToTarget({ interaction_id: record.interaction_id, seq: record.seq });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = actionOf(event.key);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  const actionOf = (key: string): (() => void) | undefined => {
    switch (key) {
      case 'j':
      case 'ArrowDown':
        return () => moveTo(stepFrom(rows, index, 1));
      case 'k':
      case 'ArrowUp':
        return () => moveTo(stepFrom(rows, index, -1));
      case 'Home':
        return () => moveTo(stepFrom(rows, -1, 1));
      case 'End':
        return () => moveTo(stepFrom(rows, rows.length, -1));
      case 'Enter': {
        const row = rows[index];
        return row?.kind === 'record' ? () => open(row.record) : undefined;
      }
      case '/':
        return onSearch;
      case 'Escape':
        return opened ? () => setOpened(undefined) : undefined;
      default:
        return undefined;
    }
  };
  return (
    <>
      {hasFocus && <RowKeys onKey={(key) => actionOf(key)?.()} />}
      <VList
        ref={list}
        data={rows}
        className={css['list']}
        role="listbox"
        tabIndex={0}
        aria-label={text.label}
        aria-activedescendant={index < 0 ? undefined : current}
        title={text.hint}
        onKeyDown={onKeyDown}
        onFocus={() => setFocus(true)}
        onBlur={() => setFocus(false)}
      >
        {(row, at) => (
          <LogRowView
            key={idOf(row)}
            row={row}
            isCurrent={at === index}
            isNamed={idOf(row) === named}
            onOpen={open}
          />
        )}
      </VList>
      {opened && <LogRecord record={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

/** While the list has the focus, its keys come before those of cards that wait for a person. */
function RowKeys({ onKey }: { onKey: (key: string) => void }) {
  const { group, next, previous, open } = text.keys;
  const keyOf = (key: string, label: string) => ({ key, label, group, run: () => onKey(key) });
  useKeys([keyOf('j', next), keyOf('k', previous), keyOf('Enter', open), keyOf('/', text.search)]);
  return null;
}

function idOf(row: LogRow): string {
  return row.kind === 'turn' ? row.id : rowId(row.record.interaction_id, row.record.seq);
}

function useRows(parts: readonly LogPart[], { text: typed, type, order }: LogFilter) {
  const searched = useDeferredValue(typed);
  return useMemo(
    () => logRows(parts, { text: searched, type, order }),
    [parts, searched, type, order],
  );
}

/** The same list as long as no record has come: deltas change turns too. */
function useParts(logs: readonly TurnLog[]): readonly LogPart[] {
  const kept = useRef<readonly LogPart[]>([]);
  const parts = logs.map(({ turn, log }) => ({
    id: turn.id,
    message: turn.user_message,
    records: log.records,
  }));
  const isSame =
    parts.length === kept.current.length &&
    parts.every(({ id, records }, index) => {
      const other = kept.current[index]!;
      return other.id === id && other.records === records;
    });
  if (!isSame) kept.current = parts;
  return kept.current;
}
