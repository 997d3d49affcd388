import { useState } from 'react';
import { session } from '../session/credential';

/** Texts that were begun in fields, by the names of the fields, until the page is loaded anew. */
const texts = new Map<string, string>();

session.subscribe(() => texts.clear());

/** The text of a field, which is kept while a person looks at something else. */
export function useKeptText(name: string, initial = ''): readonly [string, (text: string) => void] {
  const [text, setText] = useState(() => texts.get(name) ?? initial);
  const keep = (next: string): void => {
    if (next === initial) texts.delete(name);
    else texts.set(name, next);
    setText(next);
  };
  return [text, keep];
}

/** Undefined: the field has its initial text. */
export function keptText(name: string): string | undefined {
  return texts.get(name);
}

export function forgetText(name: string): void {
  texts.delete(name);
}
