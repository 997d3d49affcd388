import { X } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { lazy, Suspense } from 'react';
import { isOpening } from '../chat/opening';
import type { ChatView } from '../chat/open-chat';
import { useTargetOf } from '../chat/target';
import type { Turn } from '../chat/turns';
import { common } from '../strings/common';
import { panelText as text } from '../strings/panel';
import { IconButton } from '../ui/button';
import { useIsNarrow } from '../ui/use-media';
import { showTab, TABS, usePanelFlag } from './panel-tab';
import type { PanelTab } from './panel-tab';
import css from './panel.module.css';

const AgentsView = lazy(async () => ({
  default: (await import('../agents/agents-view')).AgentsView,
}));
const BoardView = lazy(async () => ({ default: (await import('../board/board-view')).BoardView }));
const TimelineView = lazy(async () => ({
  default: (await import('../timeline/timeline-view')).TimelineView,
}));
const LogView = lazy(async () => ({ default: (await import('../log/log-view')).LogView }));
const FilesView = lazy(async () => ({ default: (await import('../files/files-view')).FilesView }));

interface PanelProps {
  readonly tab: PanelTab;
  readonly view: ChatView;
  /** Turns as they are now, whatever record is shown. */
  readonly turns: readonly Turn[];
}

/** Beside the conversation: what its agents do and have done, its tasks, its files. */
export function Panel({ tab, view, turns }: PanelProps) {
  const flag = usePanelFlag();
  const isSheet = useIsNarrow();
  return (
    <aside
      className={css['panel']}
      aria-label={text.label}
      data-testid="panel"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && isSheet && !event.defaultPrevented) flag.set(false);
      }}
    >
      <Tabs.Root
        className={css['root']}
        value={tab}
        onValueChange={(value) => showTab(value as PanelTab)}
      >
        <div className={css['bar']}>
          <Tabs.List className={css['tabs']} aria-label={text.label}>
            {TABS.map((each) => (
              <Tabs.Trigger key={each} value={each}>
                {text.tabs[each]}
              </Tabs.Trigger>
            ))}
          </Tabs.List>
          <IconButton label={text.close} onClick={() => flag.set(false)}>
            <X size={16} aria-hidden />
          </IconButton>
        </div>
        <Tabs.Content value={tab} className={css['content']} tabIndex={-1}>
          <Suspense fallback={<p className={css['note']}>{common.loading}</p>}>
            <Shown tab={tab} view={view} turns={turns} />
          </Suspense>
        </Tabs.Content>
      </Tabs.Root>
    </aside>
  );
}

function Shown({ tab, view, turns }: PanelProps) {
  const turn = useChosenTurn(turns);
  if (isOpening(view, turns)) return <p className={css['note']}>{common.loading}</p>;
  switch (tab) {
    case 'agents':
      return <AgentsView view={view} turns={turns} turn={turn} />;
    case 'tasks':
      return <BoardView />;
    case 'timeline':
      return <TimelineView turns={turns} turn={turn} />;
    case 'log':
      return <LogView view={view} turns={turns} />;
    case 'files':
      return <FilesView />;
  }
}

/** The turn that the address names, else the last. */
function useChosenTurn(turns: readonly Turn[]): Turn | undefined {
  const target = useTargetOf();
  return turns.find(({ id }) => id === target?.interaction_id) ?? turns.at(-1);
}
