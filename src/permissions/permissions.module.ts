import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccessModule } from '../access/access.module.js';
import { Config } from '../config/config.js';
import { ToolsModule } from '../tools/tools.module.js';
import { CodeRules } from './rules/code-rules.js';
import { DeclaredRules } from './rules/declared-rules.js';
import { RulesFile } from './file/rules-file.js';
import { CodeJudges } from './judges/code-judges.js';
import { RuleJudge } from './judges/rule-judge.js';
import { PermissionsController } from './permissions.controller.js';
import { PermissionsService } from './permissions.service.js';
import { RuleBook } from './rule-book.js';
import { ToolJudge } from './judges/tool-judge.js';

@Module({
  imports: [AccessModule, DiscoveryModule, ToolsModule],
  controllers: [PermissionsController],
  providers: [
    PermissionsService,
    { provide: ToolJudge, useClass: RuleJudge },
    RuleBook,
    CodeJudges,
    CodeRules,
    DeclaredRules,
    {
      provide: RulesFile,
      inject: [Config],
      useFactory: ({ permissionsFile }: Config) => RulesFile.open(permissionsFile),
    },
  ],
  exports: [ToolJudge, PermissionsService, RuleBook, CodeRules, DeclaredRules],
})
export class PermissionsModule {}
