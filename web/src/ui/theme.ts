import { Store } from './store';

export type Theme = 'system' | 'light' | 'dark';

const NAME = 'parley.theme';
const kept = localStorage.getItem(NAME);

export const theme = new Store<Theme>(kept === 'light' || kept === 'dark' ? kept : 'system');

export function setTheme(value: Theme): void {
  if (value === 'system') localStorage.removeItem(NAME);
  else localStorage.setItem(NAME, value);
  theme.set(value);
  applyTheme();
}

export function applyTheme(): void {
  const value = theme.get();
  if (value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = value;
}
