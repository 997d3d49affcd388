import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxFreeSockets: 1024 });

/**
 * One request to a server, until its answer has ended: `{ status, text }`. A body is sent as JSON,
 * and JSON is asked for in return.
 */
export function call(options) {
  const { port, method = 'GET', path, body, accept = 'application/json' } = options;
  const headers = { accept, ...(body && { 'content-type': 'application/json' }) };
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (data) => (text += data));
      response.on('end', () => resolve({ status: response.statusCode, text }));
      response.on('error', reject);
    });
    asked.on('error', (error) => {
      // The server closed an idle connection just as this request took it.
      const isLate = asked.reusedSocket && error.code === 'ECONNRESET';
      if (isLate && ['GET', 'DELETE'].includes(method)) resolve(call(options));
      else reject(error);
    });
    asked.end(body && JSON.stringify(body));
  });
}

/** What it answers with; anything but success throws. */
export async function callForJson(options) {
  const { status, text } = await call(options);
  if (status >= 200 && status < 300) return JSON.parse(text);
  throw new Error(`${options.path} was answered with ${status}: ${text}`);
}
