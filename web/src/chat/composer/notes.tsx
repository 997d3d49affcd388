import { MessageSquareText } from 'lucide-react';
import { composerText as text } from '../../strings/chat';
import { visible } from '../../text/visible';
import { Button } from '../../ui/button';
import { useStore } from '../../ui/store';
import type { ChatView } from '../open-chat';
import { Store } from '../../ui/store';
import type { Turn } from '../turns';
import { useShownChatOrNone } from '../use-chat';
import type { Note } from './sending';
import css from './composer.module.css';

interface NotesProps {
  readonly notes: readonly Note[];
  readonly active: Turn | undefined;
  readonly onSend: (note: Note) => void;
}

const NO_CHAT = new Store<ChatView | null>(null);

/** Notes that an agent has not read yet. */
export function Notes({ notes, active, onSend }: NotesProps) {
  const chat = useShownChatOrNone();
  const view = useStore<ChatView | null>(chat?.view ?? NO_CHAT);
  const unread = notes.filter((note) => !isRead(note, view));
  if (unread.length === 0) return null;
  return (
    <ul className={css['notes']}>
      {unread.map((note) => {
        const isLate = active?.id !== note.interaction_id;
        return (
          <li key={note.intervention_id}>
            <MessageSquareText size={14} aria-hidden />
            <span>{visible(note.text)}</span>
            <small>{isLate ? text.unreadNote : text.pendingNote}</small>
            {isLate && (
              <Button look="plain" onClick={() => onSend(note)}>
                {text.sendNow}
              </Button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function isRead({ interaction_id, intervention_id }: Note, view: ChatView | null): boolean {
  const records = view?.conversation?.interactions[interaction_id]?.records ?? [];
  return records.some(
    (it) => it.type === 'AGENT_INTERVENED' && it.intervention_id === intervention_id,
  );
}
