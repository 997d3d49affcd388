#!/usr/bin/env node
import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { drawUsage, readCommandLine } from './commands/options.js';
import type { CommandLine } from './commands/options.js';
import { readEnvironment } from './environment.js';
import { EXIT } from './exit-codes.js';
import { Output } from './screen/output.js';
import type { Terminal } from './terminal.js';
import { versionOfPackage } from './version.js';

/** A command is loaded when it is called. */
async function run({ name, ...line }: CommandLine, terminal: Terminal): Promise<number> {
  switch (name) {
    case 'chat':
      return (await import('./commands/chat.js')).chat(line, terminal);
    case 'inbox':
      return (await import('./commands/inbox.js')).inbox(line, terminal);
    case 'approve':
    case 'reject':
      return (await import('./commands/decide.js')).decide(name === 'approve', line, terminal);
    case 'answer':
      return (await import('./commands/decide.js')).answer(line, terminal);
    case 'chats':
      return (await import('./commands/chats.js')).chats(line, terminal);
    case 'log':
      return (await import('./commands/log.js')).log(line, terminal);
    case 'watch':
      return (await import('./commands/watch.js')).watch(line, terminal);
    case 'open':
      return (await import('./commands/open.js')).open(line, terminal);
    case 'doctor':
      return (await import('./commands/doctor.js')).doctor(line, terminal);
    case 'demo':
      return (await import('./demo/demo.js')).demo(terminal);
    case 'serve':
      return (await import('./connection/start-server.js')).serve();
  }
}

async function main(args: readonly string[]): Promise<number> {
  const environment = readEnvironment();
  const out = new Output(process.stdout, environment);
  const err = new Output(process.stderr, environment);
  try {
    const line = readCommandLine(args);
    if (line === 'help') out.lines(drawUsage(out.columns - 1));
    else if (line === 'version') out.write(`parley ${versionOfPackage()}\n`);
    else return await run(line, { environment, out, err });
    return EXIT.completed;
  } catch (error) {
    const { explain, isWrongUsage } = await import('./connection/connect.js');
    const { sanitize } = await import('./render/sanitize.js');
    const isUsage = isWrongUsage(error);
    err.write(
      `parley: ${sanitize(explain(error))}\n${isUsage ? 'All commands: parley --help\n' : ''}`,
    );
    return isUsage ? EXIT.usage : EXIT.failed;
  } finally {
    await out.flush();
  }
}

/** Node restores its terminals at the end, and aborts if one of them was closed meanwhile. */
function forgetClosed(terminals: readonly number[]): void {
  for (const fd of terminals) if (!isatty(fd)) closeSync(fd);
}

const terminals = [0, 1, 2].filter((fd) => isatty(fd));
const code = await main(process.argv.slice(2));
forgetClosed(terminals);
process.exit(code);
