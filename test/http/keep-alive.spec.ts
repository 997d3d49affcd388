import { once } from 'node:events';
import { connect } from 'node:net';
import { startTinyApp } from '../support/server/tiny-app.js';

describe('KEEP_ALIVE_TIMEOUT_MS', () => {
  it('is how long an idle connection stays open', async () => {
    const { app } = await startTinyApp({ KEEP_ALIVE_TIMEOUT_MS: '1000' });
    const client = connect(Number(new URL(await app.getUrl()).port), '127.0.0.1');
    let answer = '';
    client.on('data', (chunk) => (answer += chunk.toString()));
    const ended = once(client, 'end');
    client.write('GET /things/7 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await ended;
    expect(answer).toContain('\r\nKeep-Alive: timeout=1\r\n');
    client.destroy();
    await app.close();
  });
});
