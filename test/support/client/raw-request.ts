import { request } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request with headers as they are, also repeated ones: `[name, value, name, value]`. */
export function rawRequest(
  url: string,
  headers: readonly string[],
  method = 'GET',
): Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }> {
  return new Promise((resolve, reject) => {
    const host = new URL(url).host;
    request(url, {
      method,
      headers: ['Host', host, 'Connection', 'close', ...headers],
      agent: false,
    })
      .on('response', (response) => {
        const { statusCode = 0, headers: answered } = response;
        text(response).then(
          (body) => resolve({ status: statusCode, text: body, headers: answered }),
          reject,
        );
      })
      .on('error', reject)
      .end();
  });
}
