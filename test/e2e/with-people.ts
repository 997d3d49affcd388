import type { Environment } from '../../src/config/load-config.js';
import { HumanTestModule } from '../support/human-test.module.js';
import { Person } from '../support/person.js';
import { playScript } from '../support/scripted-answers.js';
import { onEachStore } from './on-each-store.js';
import type { ServerUnderTest } from './on-each-store.js';

/** `onEachStore` with a model that plays scripts, agents and tools that ask, and somebody to be asked. */
export function withPeople(
  env: Environment,
  tests: (server: ServerUnderTest, person: Person) => void,
): void {
  onEachStore(
    env,
    (server) => {
      beforeAll(() => server.fake.otherwise(playScript));
      tests(server, new Person(() => server.api));
    },
    [HumanTestModule],
  );
}
