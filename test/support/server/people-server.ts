import { bootstrap } from '../../../src/bootstrap.js';
import { HumanTestModule } from '../runs/human-test.module.js';

await bootstrap([HumanTestModule]);
