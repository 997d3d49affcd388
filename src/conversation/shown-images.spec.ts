import type { Image, ToolMessage } from '../protocol/message.js';
import { ShownImages } from './shown-images.js';

const MIB = 1024 * 1024;

function imageOf(bytes: number): Image {
  return { media_type: 'image/png', data: Buffer.alloc(bytes).toString('base64') };
}

/** The calls whose images are shown after these were added, with the bytes of each. */
function shownAfter(...calls: (readonly number[])[]): string[] {
  const images = new ShownImages();
  calls.forEach((sizes, at) => images.add(`c${at}`, sizes.map(imageOf)));
  const messages = calls.map((_, at): ToolMessage => {
    return { role: 'tool', tool_call_id: `c${at}`, content: 'named' };
  });
  const shown = images.addTo(messages, -1);
  expect(shown.map(({ content }) => content)).toEqual(calls.map(() => 'named'));
  return shown.flatMap((each) => (each.role === 'tool' && each.images ? [each.tool_call_id] : []));
}

describe(ShownImages.name, () => {
  it('shows eight images, the newest', () => {
    expect(shownAfter(...Array.from({ length: 10 }, () => [3]))).toEqual([
      'c2',
      'c3',
      'c4',
      'c5',
      'c6',
      'c7',
      'c8',
      'c9',
    ]);
    expect(shownAfter([3], [3, 3, 3, 3], [3, 3, 3, 3])).toEqual(['c1', 'c2']);
  });

  it('shows four megabytes of them', () => {
    expect(shownAfter([MIB], [MIB], [MIB], [MIB])).toHaveLength(4);
    expect(shownAfter([3], [MIB], [MIB], [MIB], [MIB])).toEqual(['c1', 'c2', 'c3', 'c4']);
    expect(shownAfter([5 * MIB])).toEqual([]);
  });
});
