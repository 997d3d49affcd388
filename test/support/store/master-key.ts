/**
 * One of 255 master keys. A server holds back the end of a text that may be the beginning of one of
 * its secrets, so a random key would now and then delay a delta that a test waits for: these begin
 * with a slash, with which no such delta ends.
 */
export function masterKey(number: number): string {
  return Buffer.alloc(32, number).fill(0xff, 0, 1).toString('base64');
}
