import type { Interaction, RecordOf } from 'parley/client';
import { client } from '../session/client';
import { picturesText as text } from '../strings/files';

/** Types that browsers draw without running anything; SVG is not among them. */
const TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
/** A larger file is a link, like any other. */
const MOST_BYTES = 20_000_000;
/** A browser decodes an image to four bytes a pixel. */
export const MOST_PIXELS = 25_000_000;

/** An image that can be shown. */
export interface Picture {
  readonly name: string;
  readonly size_bytes: number;
  readonly load: (signal: AbortSignal) => Promise<Blob>;
}

export function isPicture(mime_type: string, size_bytes: number): boolean {
  return TYPES.has(mime_type) && size_bytes <= MOST_BYTES;
}

export function pictureOf({
  id,
  filename: name,
  size_bytes,
}: Interaction['files'][number]): Picture {
  const load = async (signal: AbortSignal): Promise<Blob> =>
    (await client.files.content(id, { signal })).blob();
  return { name, size_bytes, load };
}

/** The images that a tool has shown with its result. */
export function picturesOf(chat_id: string, result: RecordOf<'TOOL_RESULT'>): readonly Picture[] {
  const { interaction_id, seq, tool_name, images = [] } = result;
  return images.map(({ size_bytes }, index) => ({
    name: text.ofTool(tool_name, index + 1, images.length),
    size_bytes,
    load: async (signal) => {
      const response = await client.interactions.image(
        chat_id,
        interaction_id,
        { seq, index },
        { signal },
      );
      return response.blob();
    },
  }));
}
