import type { Redis } from 'ioredis';
import { closedBlocks } from '../block-of.js';
import type { FrameItem, OpenBlock } from '../live-bus.js';

/**
 * The state of a run in Redis while it streams: a hash with its epoch, the number of its last
 * frame, its last seq, and for each open block its description and length; the text of each block,
 * JSON-escaped, is a string of its own that only grows.
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
 * Frames of an older epoch are dropped (I6). State and message change in one step. Returns 2 when a
 * block grows whose beginning Redis has lost.
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

const BEGIN = `${SHARED}
if known < tonumber(ARGV[1]) then return 0 end
forget_all()
return redis.call('DEL', key)`;

const CLOSE = `${SHARED}
if known > tonumber(ARGV[1]) then return 0 end
forget_all()
return redis.call('DEL', key)`;

interface ScriptedRedis extends Redis {
  publishFrames(key: string, ...values: readonly (string | number)[]): Promise<number>;
  readSnapshot(key: string): Promise<string[]>;
  beginRun(key: string, epoch: number): Promise<number>;
  closeRun(key: string, epoch: number): Promise<number>;
}

/** `text` is JSON-escaped; `offset` and `length` count UTF-16 code units of the unescaped text. */
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
  /** Number of the last frame. */
  readonly number: number;
  /** Seq of the last record, if there is one. */
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

/** The saved form of a piece of a block that begins at `offset`. */
export type SealPiece = (text: string, block_id: string, offset: number) => string;

/** Redis lost the state of a run that goes on. */
const HAS_FORGOTTEN = 2;

/** The scripts that change and read the state of a run, each in one step. */
export class LiveScripts {
  private readonly redis: ScriptedRedis;

  /** `ttl_ms`: time to live of a state that is not closed. */
  constructor(
    redis: Redis,
    private readonly ttl_ms: number,
  ) {
    this.redis = redis as ScriptedRedis;
    redis.defineCommand('publishFrames', { lua: PUBLISH, numberOfKeys: 1 });
    redis.defineCommand('readSnapshot', { lua: SNAPSHOT, numberOfKeys: 1 });
    redis.defineCommand('beginRun', { lua: BEGIN, numberOfKeys: 1 });
    redis.defineCommand('closeRun', { lua: CLOSE, numberOfKeys: 1 });
  }

  /** False: Redis has lost a part of the state. */
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

  async begin(key: string, epoch: number): Promise<void> {
    await this.redis.beginRun(key, epoch);
  }

  async close(key: string, epoch: number): Promise<void> {
    await this.redis.closeRun(key, epoch);
  }
}

/** Changes of a run's open blocks by the items of a frame, as in `OpenBlocks`. */
export function changesOf(items: readonly FrameItem[], seal: SealPiece): BlockChange[] {
  return items.flatMap((item): BlockChange[] => {
    switch (item.kind) {
      case 'trace':
        return [];
      case 'record': {
        const closed = closedBlocks(item.record.body).map((id): BlockChange => ['close', id]);
        return item.record.body.type === 'RESUMED' ? [['clear'], ...closed] : closed;
      }
      case 'delta': {
        const { offset, delta: text, ...delta } = item.delta;
        return [grow({ agent_id: item.agent_id, delta, text }, offset, seal)];
      }
    }
  });
}

/** Changes that restore the open blocks from nothing. */
export function changesTo(blocks: readonly OpenBlock[], seal: SealPiece): BlockChange[] {
  return [['clear'], ...blocks.map((block) => grow(block, 0, seal))];
}

function grow({ agent_id, delta, text }: OpenBlock, offset: number, seal: SealPiece): BlockChange {
  const about = JSON.stringify({ agent_id, delta });
  const kept = escape(seal(text, delta.block_id, offset));
  return ['grow', delta.block_id, offset, text.length, kept, about];
}

/** The inside of a JSON string: lone surrogates survive, and pieces can be concatenated. */
function escape(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function splitAt(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}
