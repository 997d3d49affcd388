import { createContext, use, useEffect, useMemo } from 'react';
import { OpenChat } from './open-chat';

/** The chat that is shown. */
export const OpenChatContext = createContext<OpenChat | null>(null);

/** The chat of the page, followed while it is shown. */
export function useOpenChat(id: string): OpenChat {
  const chat = useMemo(() => new OpenChat(id), [id]);
  useEffect(() => {
    chat.open();
    return () => chat.close();
  }, [chat]);
  return chat;
}

/** For what is shown within a chat. */
export function useShownChat(): OpenChat {
  const chat = use(OpenChatContext);
  if (!chat) throw new Error('No chat is shown here.');
  return chat;
}

/** Null on the page of a new chat. */
export function useShownChatOrNone(): OpenChat | null {
  return use(OpenChatContext);
}
