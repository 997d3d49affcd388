import type { Redis } from 'ioredis';
import type { Place } from '../../encryption/data-key.js';
import type { DataKeys } from '../../encryption/data-keys.js';
import { isSealed } from '../../encryption/sealed-text.js';
import type { Message } from '../../protocol/message.js';

export interface MessageListsOptions {
  /** Prefix of the key of each list. */
  readonly prefix: string;
  /** TTL of an inactive chat, in milliseconds. */
  readonly ttl_ms: number;
  /** Maximum number of messages; a longer conversation, in messages or in bytes, is not cached. */
  readonly most: number;
  readonly most_bytes: number;
  /** The data keys of chats, if encryption is on. */
  readonly keys?: Pick<DataKeys, 'ofChat'> | undefined;
}

/** The messages of a chat up to the end of an interaction. */
export interface MessageList {
  readonly head: string;
  readonly messages: readonly Message[];
}

/**
 * The first item of a list is a header: the interaction up to whose end the list goes, and the size
 * of the messages in bytes. A list is read or extended only by a caller that knows that
 * interaction. A match is never stale.
 */
const FIND = `
local first = redis.call('LINDEX', KEYS[1], 0)
if not first or cjson.decode(first).head ~= ARGV[1] then return false end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('LRANGE', KEYS[1], 1, -1)`;

/**
 * Returns 0 if the preceding messages are not cached. A full Redis refuses only the first write of
 * a script, and only a write that adds data.
 */
const WRITE = `
local key = KEYS[1]
local after, head, bytes, ttl, most, most_bytes = unpack(ARGV, 1, 6)
bytes = tonumber(bytes)
local first = redis.call('LINDEX', key, 0)
first = first and cjson.decode(first)
if first and first.deleted then return 1 end
if after == '' then
  redis.call('RPUSH', key, '')
  redis.call('LTRIM', key, -1, -1)
else
  if not first or first.head ~= after then return 0 end
  bytes = bytes + first.bytes
end
for i = 7, #ARGV, 1000 do redis.call('RPUSH', key, unpack(ARGV, i, math.min(i + 999, #ARGV))) end
if redis.call('LLEN', key) - 1 > tonumber(most) or bytes > tonumber(most_bytes) then
  redis.call('DEL', key)
else
  redis.call('LSET', key, 0, cjson.encode({ head = head, bytes = bytes }))
  redis.call('PEXPIRE', key, ttl)
end
return 1`;

const DROP = `
local first = redis.call('LINDEX', KEYS[1], 0)
if not first or cjson.decode(first).head ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

/** Deletes first, so that the deletion also works in a full Redis. */
const FORGET = `
redis.call('DEL', KEYS[1])
redis.call('RPUSH', KEYS[1], cjson.encode({ deleted = true }))
redis.call('PEXPIRE', KEYS[1], ARGV[1])`;

/** Time for which no new list is created after its chat was deleted, in milliseconds. */
const DELETED_MS = 60_000;

interface ScriptedRedis extends Redis {
  findMessages(key: string, head: string, ttl_ms: number): Promise<string[] | null>;
  writeMessages(key: string, ...values: readonly (string | number)[]): Promise<number>;
  dropMessages(key: string, head: string): Promise<number>;
  forgetMessages(key: string, deleted_ms: number): Promise<null>;
}

/** Conversations as Redis lists, one per chat. */
export class MessageLists {
  private readonly redis: ScriptedRedis;

  constructor(
    redis: Redis,
    private readonly options: MessageListsOptions,
  ) {
    this.redis = redis as ScriptedRedis;
    redis.defineCommand('findMessages', { lua: FIND, numberOfKeys: 1 });
    redis.defineCommand('writeMessages', { lua: WRITE, numberOfKeys: 1 });
    redis.defineCommand('dropMessages', { lua: DROP, numberOfKeys: 1 });
    redis.defineCommand('forgetMessages', { lua: FORGET, numberOfKeys: 1 });
  }

  /** The messages up to the end of `head`, if the list ends there. */
  async find(chatUid: string, head: string): Promise<Message[] | undefined> {
    const found = await this.redis.findMessages(this.key(chatUid), head, this.options.ttl_ms);
    if (!found) return undefined;
    const key = await this.options.keys?.ofChat(chatUid);
    return found.map((text) => {
      const message = isSealed(text) && key ? key.open(text, placeIn(chatUid)) : text;
      return JSON.parse(message) as Message;
    });
  }

  /** Extends the list that ends with `after`; false if the list ends elsewhere. */
  append(chatUid: string, after: string, list: MessageList): Promise<boolean> {
    return this.write(chatUid, after, list);
  }

  async replace(chatUid: string, list: MessageList): Promise<void> {
    await this.write(chatUid, '', list);
  }

  /** Removes the list if it ends with `head`. */
  async drop(chatUid: string, head: string): Promise<void> {
    await this.redis.dropMessages(this.key(chatUid), head);
  }

  /** Also blocks late writes of interactions that ended just before the deletion. */
  async forget(chatUid: string): Promise<void> {
    await this.redis.forgetMessages(this.key(chatUid), DELETED_MS);
  }

  close(): void {
    this.redis.disconnect();
  }

  private async write(
    chatUid: string,
    after: string,
    { head, messages }: MessageList,
  ): Promise<boolean> {
    const { ttl_ms, most, most_bytes, keys } = this.options;
    const key = await keys?.ofChat(chatUid);
    if (keys && !key) return true; // it was deleted
    const texts = messages.map((message) => {
      const text = JSON.stringify(message);
      return key ? key.seal(text, placeIn(chatUid)) : text;
    });
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const isTooMuch = texts.length > most || bytes > most_bytes;
    const kept = isTooMuch ? [] : texts;
    const values = [after, head, bytes, ttl_ms, isTooMuch ? -1 : most, most_bytes, ...kept];
    return (await this.redis.writeMessages(this.key(chatUid), ...values)) === 1;
  }

  private key(chatUid: string): string {
    return `${this.options.prefix}${chatUid}`;
  }
}

function placeIn(chatUid: string): Place {
  return [chatUid, 'conversation'];
}
