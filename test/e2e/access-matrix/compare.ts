import { isDeepStrictEqual } from 'node:util';
import type { Scope } from '../../../src/auth/principal.js';
import type { Operation } from '../operations.js';
import { sendRow, unnamed } from './send-row.js';
import type { Answer } from './send-row.js';
import type { Row } from './table.js';
import { missing } from './world.js';
import type { Names } from './world.js';

export interface Caller {
  readonly name: string;
  readonly key?: string;
  readonly scopes: ReadonlySet<Scope>;
}

export interface Sent {
  readonly of: Operation;
  readonly row: Row;
}

export interface Comparison extends Sent {
  readonly caller: Caller;
  readonly only?: string | undefined;
  readonly own: Names;
  readonly names: Names;
}

/** Sends a row with foreign names (or `only` one, beside the own), and with names of nothing. */
export async function compare(url: () => string, comparison: Comparison): Promise<string[]> {
  const { caller, of, row, only, own, names } = comparison;
  const { ids = {} } = row;
  const kinds = Object.values(ids).map(([what]) => what);
  const inText = [...(row.text ?? '').matchAll(/\{(\w+)\}/g)].map(([, what]) => what!);
  const always = Object.values(pick(own, Object.values(row.own ?? {})));
  const answers: Answer[] = [];
  const about = `${caller.name}: ${of.name} ${only ?? Object.keys(ids).join()}`;
  const faults: unknown[] = [];
  for (const from of [names, missing(names)]) {
    const used = only === undefined ? from : { ...own, ...pick(from, [ids[only]![0]]) };
    const sent = [...always, ...Object.values(pick(used, [...kinds, ...inText]))];
    const answer = await sendRow({ url: url(), key: caller.key }, of, { row, names: used, own });
    faults.push(...shown(answer, sent, names));
    answers.push(unnamed(answer, sent));
  }
  const [there, absent] = answers as [Answer, Answer];
  if (row.ids && !isDeepStrictEqual(there, absent)) faults.push({ there, absent });
  const hidden = ids[only ?? Object.keys(ids)[0]!]?.[1] ?? row.always ?? 200;
  const expected = expectedOf(caller, of, hidden);
  if (!expected.includes(there.status)) faults.push({ expected, there });
  if (there.status === 401 && !there.headers['www-authenticate']) faults.push('www-authenticate');
  return faults.map((fault) => `${about}: ${JSON.stringify(fault)}`);
}

/** What an answer has of a world, but the names that were sent. */
export function shown(answer: Answer, sent: readonly string[], world: Names): string[] {
  let rest = JSON.stringify([answer.headers, answer.text]);
  for (const name of sent.filter(isLong)) rest = rest.replaceAll(name, '');
  const secret = [world['word']!, ...Object.values(world).filter(isLong)];
  return secret.filter((each) => rest.includes(each));
}

const isLong = ({ length }: string): boolean => length > 8;

function expectedOf(caller: Caller, of: Operation, hidden: number | readonly number[]): number[] {
  if (caller.scopes.size === 0) return [401];
  return allows(caller, of) ? [hidden].flat() : [403];
}

export function allows({ scopes }: Caller, { access }: Operation): boolean {
  return access?.some((each) => each === 'public' || scopes.has(each)) ?? false;
}

function pick(names: Names, keys: readonly string[]): Names {
  return Object.fromEntries(keys.map((key) => [key, names[key]!]));
}
