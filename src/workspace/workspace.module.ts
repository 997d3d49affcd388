import { Module } from '@nestjs/common';
import { CommandRunner } from './command-runner.js';
import { LeftProcesses } from './processes/orphaned-processes.js';
import { Workspaces } from './workspaces.js';

/** Needs a `Sandbox` and an `InteractionStore` from whoever binds the ports. */
@Module({
  providers: [Workspaces, CommandRunner, LeftProcesses],
  exports: [Workspaces, CommandRunner, LeftProcesses],
})
export class WorkspaceModule {}
