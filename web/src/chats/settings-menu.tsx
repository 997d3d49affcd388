import { Settings } from 'lucide-react';
import { credential, signOut } from '../session/credential';
import { sidebarText as text } from '../strings/sidebar';
import { IconButton } from '../ui/button';
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../ui/menu';
import { useStore } from '../ui/store';
import { setTheme, theme } from '../ui/theme';
import type { Theme } from '../ui/theme';

export function SettingsMenu() {
  const chosen = useStore(theme);
  const isSignedIn = useStore(credential) !== null;
  return (
    <Menu
      align="end"
      trigger={
        <IconButton label={text.settings}>
          <Settings size={16} aria-hidden />
        </IconButton>
      }
    >
      <MenuChoice<Theme>
        label={text.theme}
        value={chosen}
        onChange={setTheme}
        options={[
          { value: 'system', name: text.themes.system },
          { value: 'light', name: text.themes.light },
          { value: 'dark', name: text.themes.dark },
        ]}
      />
      {isSignedIn && (
        <>
          <MenuSeparator />
          <MenuItem onSelect={signOut}>{text.signOut}</MenuItem>
        </>
      )}
    </Menu>
  );
}
