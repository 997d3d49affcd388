import { AudioLines } from 'lucide-react';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { audioText as text } from '../strings/chat';
import { Button, IconButton } from '../ui/button';
import { Fault } from '../ui/fault';
import { Mark } from '../ui/status';
import { Store, useStore } from '../ui/store';
import { SpokenConversation } from './spoken-conversation';
import type { TalkState } from './spoken-conversation';
import css from './audio.module.css';

/** There is one microphone. */
const current = new Store<SpokenConversation | null>(null);

const TONES = {
  connecting: 'idle',
  listening: 'good',
  hearing: 'run',
  answering: 'run',
  speaking: 'run',
} as const satisfies Record<TalkState, string>;

interface TalkButtonProps {
  /** Null: it is made first. */
  readonly chatId: string | null;
  readonly makeChat: () => Promise<string>;
}

/** Begins to talk with the agent of a chat, and ends it. */
export function TalkButton({ chatId, makeChat }: TalkButtonProps) {
  const isTalking = useStore(current)?.chatId === chatId;
  const [, navigate] = useLocation();
  const begin = async (): Promise<void> => {
    const conversation = new SpokenConversation(chatId);
    current.set(conversation);
    await conversation.begin(makeChat);
    if (conversation.chatId !== chatId) navigate(`/chats/${conversation.chatId}`);
  };
  return (
    <IconButton
      label={isTalking ? text.endTalk : text.talk}
      data-testid="talk"
      aria-pressed={isTalking}
      onClick={() => (isTalking ? end() : void begin())}
    >
      <AudioLines size={16} aria-hidden />
    </IconButton>
  );
}

/** Tells where the spoken conversation of a chat is. It ends with the page that shows it. */
export function TalkLine({ chatId }: { chatId: string | null }) {
  const conversation = useStore(current);
  useEffect(() => () => void (current.get()?.chatId === chatId && end()), [chatId]);
  return conversation?.chatId === chatId ? <Line conversation={conversation} /> : null;
}

function Line({ conversation }: { conversation: SpokenConversation }) {
  const state = useStore(conversation.state);
  const error = useStore(conversation.error);
  return (
    <>
      {error !== undefined && <Fault error={error} />}
      <div className={css['talk']} role="status" data-testid="talk-state">
        <Mark tone={TONES[state]}>{text.talkStates[state]}</Mark>
        <Button onClick={end}>{text.endTalk}</Button>
      </div>
    </>
  );
}

function end(): void {
  current.get()?.end();
  current.set(null);
}
