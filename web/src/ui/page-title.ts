import { useEffect } from 'react';
import { Store, useStore } from './store';

const pageTitle = new Store<string | null>(null);

/** Names what is shown. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    pageTitle.set(title);
    return () => {
      if (pageTitle.get() === title) pageTitle.set(null);
    };
  }, [title]);
}

/** Keeps the title of the document: how many requests wait, and what is shown. */
export function useDocumentTitle(waiting: number): void {
  const title = useStore(pageTitle);
  useEffect(() => {
    const name = title === null ? 'Parley' : `${title} · Parley`;
    document.title = waiting > 0 ? `(${waiting}) ${name}` : name;
  }, [title, waiting]);
}
