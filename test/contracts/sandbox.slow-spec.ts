import { Sandbox } from '../../src/workspace/sandbox/sandbox.js';
import { SANDBOXES } from '../support/tools/sandboxes.js';
import { describeSandbox } from './sandbox.contract.js';

for (const sandbox of SANDBOXES)
  (sandbox.fault ? describe.skip : describe)(`${Sandbox.name}: ${sandbox.name}`, () =>
    describeSandbox(sandbox),
  );
