import { replayCommand } from './replay-command.js';

await replayCommand();
