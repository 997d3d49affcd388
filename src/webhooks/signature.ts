import { createHmac } from 'node:crypto';

/** The value of `x-parley-signature`. @param at unix time in seconds, of this attempt */
export function signatureOf(body: string, { secret, at }: { secret: string; at: number }): string {
  const hmac = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  return `t=${at},v1=${hmac}`;
}
