import { Module } from '@nestjs/common';
import { bootstrap } from 'parley/bootstrap';
import { RollDiceTool } from './roll-dice.tool.js';

@Module({ providers: [RollDiceTool] })
class DiceModule {}

await bootstrap([DiceModule]);
