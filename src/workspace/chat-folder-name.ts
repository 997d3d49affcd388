import { createHash } from 'node:crypto';

const PLAIN = /^[a-z0-9_-]+$/;
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/** A chat's folder: named like the chat, and different from every other chat's also where `Sums` and `sums` are one name. */
export function chatFolderName(chatId: string): string {
  if (PLAIN.test(chatId) && !DEVICE.test(chatId)) return chatId;
  const hash = createHash('sha256').update(chatId).digest('hex').slice(0, 16);
  return `${chatId.toLowerCase().replaceAll(/[^a-z0-9_-]/g, '_')}.${hash}`;
}
