import { Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { CommandRunner } from './command-runner.js';
import { OrphanedProcesses } from './processes/orphaned-processes.js';
import { openSandbox } from './sandbox/open-sandbox.js';
import { Sandbox } from './sandbox/sandbox.js';
import { Workspaces } from './workspaces.js';

@Module({
  providers: [
    { provide: Sandbox, inject: [Config], useFactory: (config: Config) => openSandbox(config) },
    Workspaces,
    CommandRunner,
    OrphanedProcesses,
  ],
  exports: [Sandbox, Workspaces, CommandRunner, OrphanedProcesses],
})
export class WorkspaceModule {}
