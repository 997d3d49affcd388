/**
 * One frame. `json` is what `JSON.stringify` makes, which has no line break in it; those of JSON written by hand are
 * only layout, and become spaces. `id` and `event` are ours and have none. U+2028 ends no line in this format.
 */
export function formatEvent(id: string, event: string, json: string): string {
  const line = json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]+/g, ' ') : json;
  return `id: ${id}\nevent: ${event}\ndata: ${line}\n\n`;
}
