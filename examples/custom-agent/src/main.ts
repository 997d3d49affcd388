import { Module } from '@nestjs/common';
import { bootstrap } from 'parley/bootstrap';
import { ClerkAgent } from './clerk.agent.js';
import { CountStockTool } from './count-stock.tool.js';

@Module({ providers: [ClerkAgent, CountStockTool] })
class ShopModule {}

await bootstrap([ShopModule]);
