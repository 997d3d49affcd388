import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { StrictReader } from '../dist/client/strict-reader.js';
import { openStream } from './client.mjs';

const PAGE = 50;

/**
 * What is there when all is quiet: `chats` by id, `{ branch, interactions }`; `logs` by
 * interaction, read from their beginning, and `texts` of them, to the byte; `agents`, the child
 * agents by id; `effects`, the lines of the tools' file; `pending` requests; `faults` of reading
 * all that.
 */
export async function collect(world, random, effectsPath) {
  const [chats, logs, texts, agents] = Array.from({ length: 4 }, () => new Map());
  const outcome = { chats, logs, texts, agents, faults: [] };
  for (const chat of new Set([...world.plans.values()].map((plan) => plan.chat)))
    outcome.chats.set(chat, await readChat(world, random, chat));
  for (const { interactions } of outcome.chats.values())
    for (const interaction of interactions) {
      const { id } = interaction;
      const readers = await Promise.all(world.fleet.urls().map((url) => readLog(url, interaction)));
      outcome.logs.set(id, readers[0].records);
      outcome.texts.set(id, readers[0].texts);
      outcome.faults.push(...faultsOf(readers).map((fault) => `${id}, read again: ${fault}`));
    }
  for (const { type, agent_id } of [...outcome.logs.values()].flat())
    if (type === 'AGENT_STARTED')
      outcome.agents.set(agent_id, (await world.ask(`/agents/${agent_id}`, { random })).body);
  outcome.pending = (await world.ask('/requests?status=pending', { random })).body.items;
  outcome.effects = (await readFile(effectsPath, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map(JSON.parse);
  return outcome;
}

async function readChat(world, random, chat) {
  const branch = await readInteractions(world, random, `/chats/${chat}?limit=${PAGE}`);
  const path = `/chats/${chat}?include=superseded&state=all&limit=${PAGE}`;
  return { branch, interactions: await readInteractions(world, random, path) };
}

/** Oldest first. */
async function readInteractions(world, random, path) {
  const all = [];
  for (let before = ''; ;) {
    const { status, body } = await world.ask(`${path}${before}`, { random });
    if (status !== 200) throw new Error(`${path} was answered with ${status}`);
    all.unshift(...body.interactions);
    if (body.next_before === null) return all;
    before = `&before=${body.next_before}`;
  }
}

/** To where it was a moment ago, should it never end. */
async function readLog(url, { id, chat_id, last_seq }) {
  const reader = new StrictReader();
  if (last_seq === 0) return reader;
  const path = `/chats/${chat_id}/interactions/${id}/events`;
  const { frames } = await openStream(`${url}${path}`);
  for await (const frame of frames) {
    reader.read(frame);
    if (reader.records.length >= last_seq) break;
  }
  return reader;
}

function faultsOf(readers) {
  const [{ texts }, ...others] = readers;
  const isOther = others.some((reader) => !isDeepStrictEqual(reader.texts, texts));
  return [
    ...readers.flatMap(({ faults }) => faults),
    ...(isOther ? ['one server tells it in other bytes than another'] : []),
  ];
}
