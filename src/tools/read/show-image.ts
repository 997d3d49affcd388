import type { Image } from '../../protocol/image.js';
import { ToolFault } from '../files/tool-fault.js';
import type { ReadImage } from '../images/read-image.js';
import type { ShownText } from './show-text.js';

export interface ShownFile extends ShownText {
  readonly images?: readonly Image[];
}

/** The image, and what is said of it where it is not seen. @throws ToolFault if it can't be shown */
export function showImage(path: string, read: ReadImage): ShownFile {
  if (!read.ok)
    throw new ToolFault(
      `${path} is an image (${read.about}) that ${read.fault}. Make a copy with bash that can be, such as a smaller one or one frame of it, and read that.`,
    );
  const text = `${path} is an image: ${read.about}. If you don’t see it with this result any more, read it again.`;
  return { text, truncated: false, images: [read.image] };
}
