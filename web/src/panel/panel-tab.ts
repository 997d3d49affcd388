import { useLayoutEffect } from 'react';
import { useSearchParams } from 'wouter';
import { changeAddress } from '../routes/address';
import { panelIsOpen, panelSheetIsOpen } from '../ui/layout';
import type { Store } from '../ui/store';
import { useIsNarrow } from '../ui/use-media';

export const TABS = ['agents', 'tasks', 'timeline', 'log', 'files'] as const;
export type PanelTab = (typeof TABS)[number];

const NAME = 'panel';
let last: PanelTab = 'agents';

/** The tab of the panel that the address names; null: the panel is closed. */
export function usePanelTab(): PanelTab | null {
  const [params] = useSearchParams();
  return toTab(params.get(NAME));
}

/** True while the panel of this kind of page is open. On a narrow page it is a sheet. */
export function usePanelFlag(): Store<boolean> {
  return useIsNarrow() ? panelSheetIsOpen : panelIsOpen;
}

export function showTab(tab: PanelTab): void {
  last = tab;
  changeAddress({ params: { [NAME]: tab } });
}

/** Shows a tab, also where the panel is closed. */
export function useShowTab(): (tab: PanelTab) => void {
  const flag = usePanelFlag();
  return (tab) => {
    flag.set(true);
    showTab(tab);
  };
}

/** Keeps the address and the button of the panel in step. An address that names a tab opens it. */
export function usePanelAddress(chatId: string): void {
  const flag = usePanelFlag();
  useLayoutEffect(() => {
    const write = (): void => {
      const named = toTab(new URLSearchParams(location.search).get(NAME));
      if (named) last = named;
      changeAddress({ params: { [NAME]: flag.get() ? last : null } });
    };
    if (toTab(new URLSearchParams(location.search).get(NAME))) flag.set(true);
    write();
    return flag.subscribe(write);
  }, [flag, chatId]);
}

function toTab(name: string | null): PanelTab | null {
  return TABS.find((tab) => tab === name) ?? null;
}
