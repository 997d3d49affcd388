import { useState } from 'react';
import { isPicture } from '../../pictures/picture';
import type { Picture } from '../../pictures/picture';
import { uploadFile } from '../../session/client';
import { faultText } from '../../ui/fault';

/** A file that goes with the next message. */
export interface Attachment {
  readonly key: number;
  readonly name: string;
  /** The file itself, if it is an image that can be shown. */
  readonly picture: Picture | null;
  /** Progress of the upload, from 0 to 1. */
  readonly progress: number;
  /** Null until it is uploaded. */
  readonly file_id: string | null;
  readonly fault: string | null;
}

let keys = 0;

export interface Attachments {
  readonly items: readonly Attachment[];
  readonly isBusy: boolean;
  readonly add: (files: Iterable<File>) => void;
  readonly remove: (key: number) => void;
  readonly clear: () => void;
}

/**
 * Uploads files as they are added. They belong to the chat once that is there: `chatId` is null
 * before its first message.
 */
export function useAttachments(chatId: string | null): Attachments {
  const [items, setItems] = useState<readonly Attachment[]>([]);
  const change = (key: number, values: Partial<Attachment>): void =>
    setItems((all) => all.map((it) => (it.key === key ? { ...it, ...values } : it)));
  const upload = async (key: number, file: File): Promise<void> => {
    try {
      const { id } = await uploadFile(file, {
        ...(chatId !== null && { chat_id: chatId }),
        onProgress: ({ sent, total }) => change(key, { progress: total ? sent / total : 0 }),
      });
      change(key, { file_id: id, progress: 1 });
    } catch (error) {
      change(key, { fault: faultText(error) });
    }
  };
  return {
    items,
    isBusy: items.some(({ file_id, fault }) => file_id === null && fault === null),
    add: (files) => {
      for (const file of files) {
        const key = keys++;
        const { name } = file;
        const picture = localPicture(file);
        const item = { key, name, picture, progress: 0, file_id: null, fault: null };
        setItems((all) => [...all, item]);
        void upload(key, file);
      }
    },
    remove: (key) => setItems((all) => all.filter((it) => it.key !== key)),
    clear: () => setItems([]),
  };
}

function localPicture(file: File): Picture | null {
  const { name, size: size_bytes, type } = file;
  return isPicture(type, size_bytes)
    ? { name, size_bytes, load: () => Promise.resolve(file) }
    : null;
}
