/** Number of pixels that an image has by its header; undefined: it is none that is shown. */
export function pixelsIn(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return READERS.find(([magic]) => textAt(view, 0, magic.length) === magic)?.[1](view);
  } catch {
    return undefined; // it ends before that
  }
}

/** By the first bytes: browsers do not go by the type that a file has. */
const READERS: readonly (readonly [magic: string, read: (view: DataView) => number | undefined])[] =
  [
    ['\x89PNG\r\n\x1a\n', pngPixels],
    ['\xff\xd8\xff', jpegPixels],
    ['GIF87a', gifPixels],
    ['GIF89a', gifPixels],
    ['RIFF', webpPixels],
  ];

function pngPixels(view: DataView): number | undefined {
  return textAt(view, 12, 4) === 'IHDR' ? view.getUint32(16) * view.getUint32(20) : undefined;
}

function gifPixels(view: DataView): number {
  return view.getUint16(6, true) * view.getUint16(8, true);
}

function webpPixels(view: DataView): number | undefined {
  switch (textAt(view, 8, 8)) {
    case 'WEBPVP8 ':
      return (view.getUint16(26, true) & 0x3fff) * (view.getUint16(28, true) & 0x3fff);
    case 'WEBPVP8L': {
      const bits = view.getUint32(21, true);
      return ((bits & 0x3fff) + 1) * (((bits >>> 14) & 0x3fff) + 1);
    }
    case 'WEBPVP8X': {
      const [width, height] = [24, 27].map(
        (at) => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536 + 1,
      );
      return width! * height!;
    }
    default:
      return undefined;
  }
}

function jpegPixels(view: DataView): number | undefined {
  for (let at = 2; view.getUint8(at) === 0xff;) {
    while (view.getUint8(at) === 0xff) at++;
    const marker = view.getUint8(at);
    if (isFrame(marker)) return view.getUint16(at + 4) * view.getUint16(at + 6);
    if (!hasLength(marker)) return undefined;
    at += 1 + view.getUint16(at + 1);
  }
  return undefined;
}

/** Without the tables in the range of the frames. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function hasLength(marker: number): boolean {
  return marker >= 0xc0 && !(marker >= 0xd0 && marker <= 0xda);
}

function textAt(view: DataView, at: number, length: number): string {
  return String.fromCharCode(...Array.from({ length }, (_, index) => view.getUint8(at + index)));
}
