import { useSyncExternalStore } from 'react';

/** True while the window is as narrow as a phone. */
export function useIsNarrow(): boolean {
  return useMedia('(max-width: 760px)');
}

/** True while the window has no room for a conversation between the sidebar and the panel. */
export function useIsMedium(): boolean {
  return useMedia('(max-width: 1000px)');
}

function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}
