import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import type { AppError } from '../../kernel/app-error.js';
import { ArrivingBodies, MAX_ARRIVING } from './arriving-bodies.js';

const MIB = 1024 * 1024;

class FakeResponse extends EventEmitter {
  constructor(readonly owner: string) {
    super();
  }
}

describe(ArrivingBodies.name, () => {
  let bodies: ArrivingBodies;

  beforeEach(() => {
    const ownerOf = (response: ServerResponse) => (response as unknown as FakeResponse).owner;
    bodies = new ArrivingBodies(ownerOf);
  });

  /** Bytes of a body of a user, of which more follow. */
  function begin(owner: string, bytes: number) {
    const request = Object.assign(new PassThrough(), { headers: {} });
    const response = new FakeResponse(owner);
    const results: (string | undefined)[] = [];
    const end = bodies.watch(
      request as unknown as Request,
      response as unknown as Response,
      100 * MIB,
      (error?: unknown) => results.push((error as AppError | undefined)?.code),
    );
    request.emit('data', Buffer.alloc(bytes));
    return { results, end, close: () => response.emit('close') };
  }

  it('refuses the bodies of a user who has half', () => {
    const [first, second] = [begin('ann', MAX_ARRIVING / 2 - MIB), begin('ann', MIB)];
    expect([first.results, second.results]).toEqual([[], ['too_much_arriving']]);
    expect(begin('ann', 16 * 1024).results).toEqual([]);
    first.close();
    expect(begin('ann', MIB).results).toEqual([]);
  });

  it('lets no users keep others from sending: the oldest body of the one with most is refused', () => {
    const ann = [40 * MIB, 23 * MIB].map((bytes) => begin('ann', bytes));
    const bob = [1, 2].map(() => begin('bob', 31 * MIB));
    const room = MAX_ARRIVING - 125 * MIB;
    const cid = begin('cid', room + 1);
    const [results] = [[...ann, ...bob, cid].map((body) => body.results)];
    expect(results).toEqual([['too_much_arriving'], [], [], [], []]);
    cid.end();
    expect(cid.results).toEqual([undefined]);
  });

  it('counts a refused body until it is gone, and refuses no second one for it', () => {
    const ann = [40 * MIB, 23 * MIB].map((bytes) => begin('ann', bytes));
    const others = ['bob', 'bob', 'cid'].map((owner) => begin(owner, 31 * MIB));
    expect(ann.map(({ results }) => results)).toEqual([['too_much_arriving'], []]);
    expect(begin('ann', MIB).results).toEqual(['too_much_arriving']);
    expect(begin('dan', 2 * MIB).results).toEqual([]);
    expect(others.map(({ results }) => results)).toEqual([[], [], []]);
    ann[0]!.close();
    expect(begin('ann', MIB).results).toEqual([]);
  });
});
