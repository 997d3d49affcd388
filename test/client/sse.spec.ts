import fc from 'fast-check';
import { SseParser } from '../../client/sse.js';
import type { Frame } from '../../client/sse.js';

const STREAM = [
  '\uFEFFretry: 250\n\n',
  ': heartbeat\n\n',
  'event: answer\r\nid: 3~1b0.4\r\ndata: {"text":"Überraschung 😀"}\r\n\r\n',
  'id: 4\rdata: a\rdata:b\r\r',
  'data\n\n',
  'id: bad\0id\nretry: soon\ndata: {}\n\n',
  'id: 5\nevent: nothing\n\n',
  'unknown: x\ndata: {"end":true}\n\n',
].join('');
const FRAMES: Frame[] = [
  { id: '3~1b0.4', event: 'answer', data: '{"text":"Überraschung 😀"}' },
  { id: '4', event: '', data: 'a\nb' },
  { id: '4', event: '', data: '' },
  { id: '4', event: '', data: '{}' },
  { id: '5', event: '', data: '{"end":true}' },
];

function parse(pieces: readonly string[]): { frames: Frame[]; retry: number | undefined } {
  const parser = new SseParser();
  const frames = pieces.flatMap((piece) => parser.push(piece));
  return { frames, retry: parser.retry };
}

describe(SseParser.name, () => {
  it('reads fields, comments and all line ends', () => {
    expect(parse([STREAM])).toEqual({ frames: FRAMES, retry: 250 });
  });

  it('reads the same, wherever the stream is cut into pieces', () => {
    const cuts = fc.array(fc.nat(STREAM.length), { maxLength: 40 });
    fc.assert(
      fc.property(cuts, (at) => {
        const ends = [...at, STREAM.length].toSorted((a, b) => a - b);
        const pieces = ends.map((end, nr) => STREAM.slice(ends[nr - 1] ?? 0, end));
        expect(parse(pieces)).toEqual({ frames: FRAMES, retry: 250 });
      }),
    );
    expect(parse(STREAM.split(''))).toEqual({ frames: FRAMES, retry: 250 });
  });

  it('keeps back a frame whose end has not come', () => {
    expect(parse(['id: 1\ndata: whole\n\nid: 2\ndata: ha', 'lf\n']).frames).toEqual([
      { id: '1', event: '', data: 'whole' },
    ]);
  });
});
