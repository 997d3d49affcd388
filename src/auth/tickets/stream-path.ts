/** Event streams, and contents of files. */
const STREAM =
  /^\/(?:events|chats\/[^/]+\/(?:events|interactions\/[^/]+\/events)|files\/[^/]+\/content)$/;

/** True for a path, without its query, that browsers open without headers. */
export function isStreamPath(path: string): boolean {
  return STREAM.test(path);
}
