import { Controller, Get, Module, Param } from '@nestjs/common';
import { ParleyModule } from 'parley/module';
import { ClerkAgent } from './clerk.agent.js';
import { Stock, StockModule } from './stock.js';

@Controller('stock')
class StockController {
  constructor(private readonly stock: Stock) {}

  @Get(':item')
  count(@Param('item') item: string): { count: number } {
    return { count: this.stock.items.get(item) ?? 0 };
  }
}

@Module({
  imports: [
    StockModule,
    ParleyModule.forRootAsync({
      path: '/agents',
      imports: [StockModule],
      inject: [Stock],
      useFactory: (stock: Stock) => ({
        environment: { HOST: '127.0.0.1', ...process.env },
        modules: [
          { module: class {}, providers: [ClerkAgent, { provide: Stock, useValue: stock }] },
        ],
      }),
    }),
  ],
  controllers: [StockController],
})
export class AppModule {}
