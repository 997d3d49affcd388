import type { Fault } from './vendor.js';

/** In the words of vendors, and of the servers that people run themselves. */
const WORDS =
  /context[ _](?:length|window|size)|prompt is too long|input is too long|too many (?:input |prompt )?tokens/i;
const CODE = /^(?:context_length_exceeded|exceed_context_size_error|request_too_large)$/;
const PAYLOAD_TOO_LARGE = 413;

/** Whether a request was refused because it has more tokens than the model takes. */
export function isTooLong({ code = '', detail }: Fault, status: number): boolean {
  return status === PAYLOAD_TOO_LARGE || CODE.test(code) || WORDS.test(detail);
}
