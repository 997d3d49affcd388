import { Dialog as Radix } from 'radix-ui';
import { useId, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { useRoute } from 'wouter';
import { Deletion, Rename } from '../chats/chat-menu';
import { feed } from '../feed/shared-feed';
import { paletteText as text } from '../strings/keys';
import { useStore } from '../ui/store';
import ui from '../ui/ui.module.css';
import { useEntries } from './entries';
import { matching } from './match';
import type { Entry } from './match';
import css from './palette.module.css';

interface PaletteProps {
  readonly onClose: () => void;
  readonly onKeys: () => void;
}

/** Goes to any chat or page, and does what can be done here, by name. */
export function Palette({ onClose, onKeys }: PaletteProps) {
  const [dialog, setDialog] = useState<'rename' | 'delete' | null>(null);
  const [, params] = useRoute('/chats/:chat');
  const chat = useStore(feed, ({ chats }) => chats.find(({ id }) => id === params?.chat));
  const entries = useEntries({ onKeys, onDialog: setDialog });
  if (dialog && chat) {
    const About = dialog === 'rename' ? Rename : Deletion;
    return <About chat={chat} onClose={onClose} />;
  }
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={ui['overlay']} />
        <Radix.Content
          className={css['palette']}
          data-testid="palette"
          aria-describedby={undefined}
          // The place that an entry leads to takes the focus.
          onCloseAutoFocus={(event) => event.preventDefault()}
        >
          <Radix.Title className="visually-hidden">{text.label}</Radix.Title>
          <Search
            entries={entries}
            onRun={(entry) => {
              if (entry.label !== text.rename && entry.label !== text.delete) onClose();
              entry.run();
            }}
          />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Search(props: { entries: readonly Entry[]; onRun: (entry: Entry) => void }) {
  const { entries, onRun } = props;
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const found = matching(entries, query);
  const chosen = Math.min(at, found.length - 1);
  const move = (next: number): void => {
    const index = (next + found.length) % Math.max(found.length, 1);
    setAt(index);
    list.current?.querySelector(`[data-at="${index}"]`)?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const entry = found[chosen];
    if (by !== undefined) move(chosen + by);
    else if (event.key === 'Enter' && entry) onRun(entry);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        className={css['query']}
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-label={text.label}
        aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
        placeholder={text.placeholder}
        autoFocus
        spellCheck={false}
        value={query}
        onChange={({ target }) => {
          setQuery(target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={id} className={css['list']} role="listbox" aria-label={text.label}>
        {found.map((entry, index) => (
          // The field has the focus, and the keys.
          <div
            key={entry.key}
            id={`${id}-${index}`}
            data-at={index}
            className={css['entry']}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onPointerMove={() => setAt(index)}
            onClick={() => onRun(entry)}
          >
            <span>{entry.label}</span>
            <small>{entry.group}</small>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className={css['nothing']}>{text.nothing}</p>}
    </>
  );
}
