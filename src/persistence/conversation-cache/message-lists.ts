import type { Redis } from 'ioredis';
import type { Message } from '../../protocol/message.js';

export interface MessageListsOptions {
  /** What the name of each list begins with. */
  readonly prefix: string;
  /** A chat that nobody has spoken in for that long is forgotten, in milliseconds. */
  readonly ttl_ms: number;
  /** A conversation that is longer, in messages or in bytes, is not kept. */
  readonly most: number;
  readonly most_bytes: number;
}

/** What is said in a chat up to the end of an interaction. */
export interface MessageList {
  readonly head: string;
  readonly messages: readonly Message[];
}

/**
 * The first item of a list names the interaction that its messages come to, and says how many bytes they are. The list is read, and gone on
 * with, only by who knows that interaction: it never changes once it has ended, so what is found is never stale.
 */
const FIND = `
local first = redis.call('LINDEX', KEYS[1], 0)
if not first or cjson.decode(first).head ~= ARGV[1] then return false end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('LRANGE', KEYS[1], 1, -1)`;

/** Answers 0 when what came before is not there. A Redis that is full refuses the first write of a script only, and only one that adds. */
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

/** Deletes first, so that it also does in a Redis that is full. */
const FORGET = `
redis.call('DEL', KEYS[1])
redis.call('RPUSH', KEYS[1], cjson.encode({ deleted = true }))
redis.call('PEXPIRE', KEYS[1], ARGV[1])`;

/** For how long a list is not begun anew once its chat was deleted. */
const DELETED_MS = 60_000;

interface ScriptedRedis extends Redis {
  findMessages(key: string, head: string, ttl_ms: number): Promise<string[] | null>;
  writeMessages(key: string, ...values: readonly (string | number)[]): Promise<number>;
  forgetMessages(key: string, deleted_ms: number): Promise<null>;
}

/** Conversations as lists in Redis, a chat each. */
export class MessageLists {
  private readonly redis: ScriptedRedis;

  constructor(
    redis: Redis,
    private readonly options: MessageListsOptions,
  ) {
    this.redis = redis as ScriptedRedis;
    redis.defineCommand('findMessages', { lua: FIND, numberOfKeys: 1 });
    redis.defineCommand('writeMessages', { lua: WRITE, numberOfKeys: 1 });
    redis.defineCommand('forgetMessages', { lua: FORGET, numberOfKeys: 1 });
  }

  /** What was said up to the end of `head`, if that is what is kept. */
  async find(chatId: string, head: string): Promise<Message[] | undefined> {
    const found = await this.redis.findMessages(this.key(chatId), head, this.options.ttl_ms);
    return found?.map((text) => JSON.parse(text) as Message);
  }

  /** Goes on after the end of `after`, or false: that is not what is kept. */
  append(chatId: string, after: string, list: MessageList): Promise<boolean> {
    return this.write(chatId, after, list);
  }

  async replace(chatId: string, list: MessageList): Promise<void> {
    await this.write(chatId, '', list);
  }

  /** What ended just before, and is written late, is not kept. */
  async forget(chatId: string): Promise<void> {
    await this.redis.forgetMessages(this.key(chatId), DELETED_MS);
  }

  close(): void {
    this.redis.disconnect();
  }

  private async write(
    chatId: string,
    after: string,
    { head, messages }: MessageList,
  ): Promise<boolean> {
    const { ttl_ms, most, most_bytes } = this.options;
    const texts = messages.map((message) => JSON.stringify(message));
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const isTooMuch = texts.length > most || bytes > most_bytes;
    const kept = isTooMuch ? [] : texts;
    const values = [after, head, bytes, ttl_ms, isTooMuch ? -1 : most, most_bytes, ...kept];
    return (await this.redis.writeMessages(this.key(chatId), ...values)) === 1;
  }

  private key(chatId: string): string {
    return `${this.options.prefix}${chatId}`;
  }
}
