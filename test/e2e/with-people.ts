import type { Environment } from '../../src/config/load-config.js';
import { HumanTestModule } from '../support/runs/human-test.module.js';
import { Person } from '../support/client/person.js';
import { playScript } from '../support/model/scripted-answers.js';
import type { GroupOptions, Servers, ServerUnderTest } from './servers.js';

/**
 * `servers.run` with a model that plays scripts, agents and tools that ask, and a person who is
 * asked.
 */
export function withPeople(
  servers: Servers,
  env: Environment,
  tests: (server: ServerUnderTest, person: Person) => void,
  options: Pick<GroupOptions, 'isOwn'> = {},
): void {
  const group = (server: ServerUnderTest): void => {
    beforeAll(() => server.fake.otherwise(playScript));
    tests(server, new Person(() => server.api));
  };
  servers.run(env, group, { ...options, modules: [HumanTestModule] });
}
