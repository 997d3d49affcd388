import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Config } from '../config/config.js';
import { AgentTool } from './agent/agent.tool.js';
import { TellAgentTool } from './agent/tell-agent.tool.js';
import { AskHumanTool } from './ask-human/ask-human.tool.js';
import { BashTool } from './bash/bash.tool.js';
import { CalculatorTool } from './calculator/calculator.tool.js';
import { CurrentTimeTool } from './current-time/current-time.tool.js';
import { EditTool } from './edit/edit.tool.js';
import { FileChanges } from './workspace-files/file-changes.js';
import { GlobTool } from './glob/glob.tool.js';
import { GrepTool } from './grep/grep.tool.js';
import { KnownFiles } from './workspace-files/known-files.js';
import { ReadTool } from './read/read.tool.js';
import { WriteTool } from './write/write.tool.js';
import { Interpreters } from './python/interpreters.js';
import { PythonSettings } from './python/python-settings.js';
import { PythonTool } from './python/python.tool.js';
import { WorkspaceModule } from '../workspace/workspace.module.js';
import { ToolExecutor } from './core/tool-executor.js';
import { ToolLimits } from './core/tool-limits.js';
import { ToolRegistry } from './core/tool-registry.js';
import { ToolsController } from './tools.controller.js';

@Module({
  imports: [DiscoveryModule, WorkspaceModule],
  controllers: [ToolsController],
  providers: [
    ToolRegistry,
    ToolExecutor,
    { provide: ToolLimits, useExisting: Config },
    { provide: PythonSettings, useExisting: Config },
    AgentTool,
    AskHumanTool,
    BashTool,
    CalculatorTool,
    CurrentTimeTool,
    EditTool,
    FileChanges,
    GlobTool,
    GrepTool,
    KnownFiles,
    ReadTool,
    TellAgentTool,
    WriteTool,
    Interpreters,
    PythonTool,
  ],
  exports: [ToolRegistry, ToolExecutor, ToolLimits, FileChanges],
})
export class ToolsModule {}
