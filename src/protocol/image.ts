/** The types that models accept, and so those that a tool may return. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

export type ImageType = (typeof IMAGE_TYPES)[number];

export interface Image {
  readonly media_type: ImageType;
  /** The file's bytes, in base64. */
  readonly data: string;
}

/** Bytes of the file. */
export function imageBytes({ data }: Image): number {
  return Buffer.byteLength(data, 'base64');
}
