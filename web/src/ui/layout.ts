import { Store } from './store';

/** Which of the side columns a person has opened, kept for the browser. */
export const sidebarIsOpen = keptFlag('parley.sidebar', true);
export const panelIsOpen = keptFlag('parley.panel', false);
/** Where there is little room the sidebar is a sheet over the page, which is closed at first. */
export const sheetIsOpen = new Store(false);
/** The same for the panel, on a phone. */
export const panelSheetIsOpen = new Store(false);

function keptFlag(name: string, otherwise: boolean): Store<boolean> {
  const kept = localStorage.getItem(name);
  const flag = new Store(kept === null ? otherwise : kept === 'true');
  flag.subscribe(() => localStorage.setItem(name, String(flag.get())));
  return flag;
}
