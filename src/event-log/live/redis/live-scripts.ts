import type { Redis } from 'ioredis';

/**
 * What Redis keeps of a run while it streams: a hash with its epoch, the number of its last frame and its last seq; for each open block what
 * it is and how long its text is; and the text itself, JSON-escaped, as a string of its own that only ever grows.
 */
const SHARED = `
local key = KEYS[1]
local function text_of(block) return key .. ':' .. block end
local function forget(block)
  redis.call('DEL', text_of(block))
  redis.call('HDEL', key, 'about:' .. block, 'length:' .. block)
end
local function forget_all()
  for _, field in ipairs(redis.call('HKEYS', key)) do
    if string.sub(field, 1, 6) == 'about:' then forget(string.sub(field, 7)) end
  end
end
local known = tonumber(redis.call('HGET', key, 'epoch') or '0')
`;

/**
 * A run that was lost goes on talking: it is not heard (I6). State and message change together. Answers 2 when a text goes on that is not
 * there: what came before was forgotten.
 */
const PUBLISH = `${SHARED}
local channel, epoch, number, seq, ttl, changes, message = unpack(ARGV)
if tonumber(epoch) < known then return 0 end
if tonumber(epoch) > known then forget_all() end
redis.call('HSET', key, 'epoch', epoch, 'number', number)
if seq ~= '' then redis.call('HSET', key, 'seq', seq) end
local is_whole = true
for _, change in ipairs(cjson.decode(changes)) do
  local what, block = change[1], change[2]
  if what == 'clear' then forget_all()
  elseif what == 'close' then forget(block)
  else
    local offset, length, text, about = change[3], change[4], change[5], change[6]
    local have = tonumber(redis.call('HGET', key, 'length:' .. block) or '-1')
    if have == -1 and offset == 0 then
      redis.call('HSET', key, 'about:' .. block, redis.call('HINCRBY', key, 'blocks', 1) .. ' ' .. about)
      have = 0
    end
    if have == offset then
      redis.call('APPEND', text_of(block), text)
      redis.call('HSET', key, 'length:' .. block, offset + length)
      redis.call('PEXPIRE', text_of(block), ttl)
    elseif have < offset then is_whole = false
    end
  end
end
redis.call('PEXPIRE', key, ttl)
redis.call('PUBLISH', channel, message)
return is_whole and 1 or 2`;

const SNAPSHOT = `${SHARED}
if known == 0 then return {} end
local found = redis.call('HMGET', key, 'epoch', 'number', 'seq')
local answer = { found[1], found[2], found[3] or '0' }
for _, field in ipairs(redis.call('HKEYS', key)) do
  if string.sub(field, 1, 6) == 'about:' then
    answer[#answer + 1] = redis.call('HGET', key, field)
    answer[#answer + 1] = redis.call('GET', text_of(string.sub(field, 7))) or ''
  end
end
return answer`;

const CLOSE = `${SHARED}
if known > tonumber(ARGV[1]) then return 0 end
forget_all()
return redis.call('DEL', key)`;

interface ScriptedRedis extends Redis {
  publishFrames(key: string, ...values: readonly (string | number)[]): Promise<number>;
  readSnapshot(key: string): Promise<string[]>;
  closeRun(key: string, epoch: number): Promise<number>;
}

/** What frames do to the blocks of their run. `text` is JSON-escaped, `offset` and `length` count UTF-16 code units of what it stands for. */
export type BlockChange =
  | readonly ['clear']
  | readonly ['close', block_id: string]
  | readonly [
      'grow',
      block_id: string,
      offset: number,
      length: number,
      text: string,
      about: string,
    ];

export interface PublishedFrames {
  readonly channel: string;
  readonly epoch: number;
  /** Of the last frame. */
  readonly number: number;
  /** Of the last record, if there is one. */
  readonly seq: number | undefined;
  readonly changes: readonly BlockChange[];
  readonly message: string;
}

export interface StoredRun {
  readonly epoch: number;
  readonly number: number;
  readonly seq: number;
  /** Oldest first. */
  readonly blocks: readonly { readonly about: string; readonly text: string }[];
}

/** Redis was emptied while a run went on. */
const HAS_FORGOTTEN = 2;

/** The scripts that change and read what Redis keeps of a run, each in one step. */
export class LiveScripts {
  private readonly redis: ScriptedRedis;

  /** `ttl_ms`: what nobody has closed is gone after that. */
  constructor(
    redis: Redis,
    private readonly ttl_ms: number,
  ) {
    this.redis = redis as ScriptedRedis;
    redis.defineCommand('publishFrames', { lua: PUBLISH, numberOfKeys: 1 });
    redis.defineCommand('readSnapshot', { lua: SNAPSHOT, numberOfKeys: 1 });
    redis.defineCommand('closeRun', { lua: CLOSE, numberOfKeys: 1 });
  }

  /** False: what was kept of the run is not whole any more. */
  async publish(key: string, frames: PublishedFrames): Promise<boolean> {
    const { channel, epoch, number, seq = '', changes, message } = frames;
    const { ttl_ms } = this;
    const values = [channel, epoch, number, seq, ttl_ms, JSON.stringify(changes), message];
    return (await this.redis.publishFrames(key, ...values)) !== HAS_FORGOTTEN;
  }

  async read(key: string): Promise<StoredRun | undefined> {
    const [epoch, number, seq, ...pairs] = await this.redis.readSnapshot(key);
    if (epoch === undefined) return undefined;
    const blocks = Array.from({ length: pairs.length / 2 }, (_, i) => {
      const [order, about] = splitAt(pairs[2 * i]!, ' ');
      return { order: Number(order), about, text: JSON.parse(`"${pairs[2 * i + 1]}"`) as string };
    });
    blocks.sort((a, b) => a.order - b.order);
    return { epoch: Number(epoch), number: Number(number), seq: Number(seq), blocks };
  }

  async close(key: string, epoch: number): Promise<void> {
    await this.redis.closeRun(key, epoch);
  }
}

function splitAt(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}
