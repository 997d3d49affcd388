import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js';

/** What a model gets to read of a result. */
export function resultText({ content, structuredContent }: CallToolResult): string {
  if (content.length === 0 && structuredContent) return JSON.stringify(structuredContent);
  return content.map(blockText).join('\n');
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
