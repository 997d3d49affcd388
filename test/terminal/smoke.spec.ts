import { FILES } from '../support/server/process-data.js';
import type { ProcessData } from '../support/server/process-data.js';
import { ServerProcess } from '../support/server/server-process.js';
import { skipContract } from '../support/skip-contract.js';
import { findTmuxFault, TmuxTerminal } from '../support/terminal/tmux.js';

const fault = findTmuxFault();

if (fault) skipContract('a conversation at a terminal', fault);
else
  describe('A conversation at a terminal', () => {
    let data: ProcessData;
    let server: ServerProcess;
    let terminal: TmuxTerminal;

    beforeAll(async () => {
      data = await FILES.create();
      server = await ServerProcess.start({ ...data.env, MODEL: 'demo/script' });
      const { url } = await server.api();
      terminal = await TmuxTerminal.start([], { env: { PARLEY_URL: url } });
      await terminal.sees('›');
    });
    afterAll(async () => {
      await terminal.close();
      await server.kill('SIGKILL');
      await data.remove();
    });

    it('streams an answer, with its thoughts, tools and tokens', async () => {
      await terminal.enter('what is 6*7');
      const text = await terminal.sees(/completed · .* in, \d+ out/);
      expect(text).toMatch(
        /› what is 6\*7\n\nThis is arithmetic[^●]*\n\n● calculator 6\*7\n {2}└ 42 \(.*\)\n\n6\*7 = 42\n\n/,
      );
      await terminal.sees('demo/script is a script, no language model');
    });

    it('asks before a call that writes, and runs it once it is approved', async () => {
      await terminal.enter('call write {"path":"note.txt","content":"hello\\n"}');
      const card = await terminal.sees('a approve');
      expect(card).toContain('│ +hello');
      await terminal.press('a');
      await terminal.sees(/Created note\.txt[^]*completed · /);
    });

    it('ends when it is left', async () => {
      await terminal.press('C-d');
      expect(await terminal.ended()).toBe(0);
    });
  });
