import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AgentTool } from './agent/agent.tool.js';
import { AskHumanTool } from './ask-human/ask-human.tool.js';
import { CalculatorTool } from './calculator/calculator.tool.js';
import { CurrentTimeTool } from './current-time/current-time.tool.js';
import { ToolExecutor } from './tool-executor.js';
import { ToolRegistry } from './tool-registry.js';
import { ToolsController } from './tools.controller.js';

/** Needs a `ToolLimits` and a `Clock` from whoever binds the ports. */
@Module({
  imports: [DiscoveryModule],
  controllers: [ToolsController],
  providers: [ToolRegistry, ToolExecutor, AgentTool, AskHumanTool, CalculatorTool, CurrentTimeTool],
  exports: [ToolRegistry, ToolExecutor],
})
export class ToolsModule {}
