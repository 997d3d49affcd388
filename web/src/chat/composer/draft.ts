import { useEffect, useState } from 'react';
import { DRAFT, session } from '../../session/credential';

const SAVE_MS = 300;

/** Text that was typed but not sent, kept for the browser. */
export function useDraft(name: string): readonly [string, (text: string) => void] {
  const [draft, setDraft] = useState(() => keptDraft(name));
  useEffect(() => {
    const current = session.get();
    let isSaved = false;
    // Once only: another tab may have changed it since, or the chat was deleted.
    const save = (): void => {
      if (!isSaved && session.get() === current) keepDraft(name, draft);
      isSaved = true;
    };
    const timer = setTimeout(save, SAVE_MS);
    addEventListener('pagehide', save);
    return () => {
      clearTimeout(timer);
      removeEventListener('pagehide', save);
      save();
    };
  }, [draft, name]);
  return [draft, setDraft];
}

export function keptDraft(name: string): string {
  return localStorage.getItem(`${DRAFT}${name}`) ?? '';
}

/** A draft that is too long for the browser to keep is not kept. */
export function keepDraft(name: string, draft: string): void {
  const key = `${DRAFT}${name}`;
  localStorage.removeItem(key);
  try {
    if (draft !== '') localStorage.setItem(key, draft);
  } catch {
    // The browser has no room for it.
  }
}
