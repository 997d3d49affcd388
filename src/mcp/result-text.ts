import { ContentBlockSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

/** Each is looked at by itself: what is wrong with one, or with very many, doesn't cost the rest. */
const MAX_BLOCKS = 1_000;

/** What a server answers to a call. Of its blocks nothing is known yet. */
export const callResult = z.looseObject({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
});

export type CallResult = z.output<typeof callResult>;

/** What a model gets to read of a result. */
export function resultText({ content, structuredContent }: CallResult): string {
  if (content.length === 0 && structuredContent) return JSON.stringify(structuredContent);
  const texts = content.slice(0, MAX_BLOCKS).map(readBlock);
  const more = content.length - texts.length;
  return [...texts, ...(more > 0 ? [`[… and ${more} more parts]`] : [])].join('\n');
}

function readBlock(value: unknown): string {
  const block = ContentBlockSchema.safeParse(value);
  return block.success ? blockText(block.data) : '[a part of a kind that is not known]';
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}, ${block.mimeType}, ${bytes(block.data)}]`;
    case 'resource_link':
      return `[resource ${block.name}: ${block.uri}]`;
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return `${resource.uri}:\n${resource.text}`;
      return `[resource ${resource.uri}, ${resource.mimeType ?? 'binary'}, ${bytes(resource.blob)}]`;
    }
  }
}

function bytes(base64: string): string {
  return `${Math.floor((base64.length * 3) / 4)} bytes`;
}
