import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What interpreters start from is made once for all tests. */
export const PYTHON_FOLDER = join(tmpdir(), 'parley-test-python');
