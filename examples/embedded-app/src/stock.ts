import { Injectable, Module } from '@nestjs/common';

/** A service that the application had before. */
@Injectable()
export class Stock {
  readonly items = new Map([['bread', 3]]);
}

@Module({ providers: [Stock], exports: [Stock] })
export class StockModule {}
