import { chromiumFault, inThread, PageServer } from '../support/client/environments.js';
import type { Environment, Report } from '../support/client/environments.js';
import { freePort } from '../support/server/free-port.js';
import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';

if (chromiumFault) process.stderr.write(`Skipped: the client in Chromium: ${chromiumFault}\n`);

describe('The client in other environments', () => {
  const pages = new PageServer();
  let data: ProcessData;
  let env: Record<string, string>;
  let server: ServerProcess;

  beforeAll(async () => {
    data = await FILES.create();
    const [CORS_ORIGINS, PORT] = [await pages.listen(), String(await freePort())];
    env = { ...(data.env as Record<string, string>), MODEL: 'demo/script', CORS_ORIGINS, PORT };
    server = await ServerProcess.start(env);
  });
  afterAll(async () => {
    pages.close();
    await server.kill('SIGKILL');
    await data.remove();
  });

  /** Kills the server in the middle of the answer. */
  const expectExact = async (environment: Environment, chat: string): Promise<void> => {
    const reports: Report[] = [];
    await environment({ url: `http://127.0.0.1:${env['PORT']}`, chat }, async (report) => {
      reports.push(report);
      if (report.kind !== 'begun') return;
      await server.kill('SIGKILL');
      server = await ServerProcess.start(env);
    });
    const { kind, seqs, state, whole } = reports.at(-1)!;
    expect([kind, kind === 'failed' && state]).toEqual(['done', false]);
    expect(reports).toHaveLength(2);
    expect(seqs).toEqual(seqs.map((_, n) => n + 1));
    expect(state).toEqual(whole);
  };

  it('follows an answer over a killed server in a thread of Node', async () => {
    await expectExact(inThread, 'thread');
  });

  (chromiumFault ? describe.skip : describe)('of Chromium', () => {
    it.each(['page', 'worker'] as const)('follows it in a %s of another origin', async (kind) => {
      await expectExact(pages.run(kind), kind);
    });
  });
});
