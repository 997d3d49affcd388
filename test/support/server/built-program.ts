import type { Type } from '@nestjs/common';
import { ApiClient } from '../client/api-client.js';
import { FakeOpenAi } from '../model/fake-openai.js';
import { HumanTestModule } from '../runs/human-test.module.js';
import { builtServer } from './built-server.js';
import { ServerProcess } from './server-process.js';
import type { SuiteServer } from './suite-server.js';
import { serverEnvironment } from './test-server.js';
import type { TestServerOptions } from './test-server.js';

/** The program that users start, as a process, on files. Suites see only what its clients see. */
export class BuiltProgram implements SuiteServer {
  private constructor(
    private readonly process: ServerProcess,
    readonly fake: FakeOpenAi,
    readonly api: ApiClient,
  ) {}

  static async start(dataDir: string, options: TestServerOptions): Promise<BuiltProgram> {
    const fake = options.fake ?? (await FakeOpenAi.start());
    const own = { STORE: 'file', DATA_DIR: dataDir, FILES_DIR: options.files };
    const env = { ...own, ...serverEnvironment(fake, options.env) };
    const process = await ServerProcess.start(env, [await programWith(options.modules)]);
    return new BuiltProgram(process, fake, await process.api());
  }

  get log(): readonly string[] {
    return [this.process.output];
  }

  async isIdle(): Promise<boolean> {
    const { body } = await this.api.get('/interactions');
    return body.items?.length === 0;
  }

  async close(): Promise<void> {
    await this.process.kill('SIGTERM');
  }

  async stop(): Promise<void> {
    await this.close();
    await this.fake.stop();
  }

  getAll = unseen;
  readersOf = unseen;
  isUnread = unseen;
  runs = unseen;
  get streams(): number {
    return unseen();
  }
}

/** @throws Error if none of the built programs has these modules */
function programWith(modules: readonly Type[] = []): Promise<string> {
  if (modules.length === 0) return builtServer();
  if (modules.length > 1 || modules[0] !== HumanTestModule)
    throw new Error('No built program has these modules of tests: run this suite on files.');
  return builtServer('dist/test/support/server/people-server.js');
}

function unseen(): never {
  throw new Error('The inside of the built program is not seen: run this suite on files.');
}
