import { Module } from '@nestjs/common';
import { CommandRunner } from './command-runner.js';
import { OrphanedProcesses } from './processes/orphaned-processes.js';
import { Workspaces } from './workspaces.js';

/** Needs a `Sandbox` and a `ChatStore` from whoever binds the ports. */
@Module({
  providers: [Workspaces, CommandRunner, OrphanedProcesses],
  exports: [Workspaces, CommandRunner, OrphanedProcesses],
})
export class WorkspaceModule {}
