import { Module } from '@nestjs/common';
import { bootstrap } from 'parley/bootstrap';
import { EchoProvider } from './echo.provider.js';

@Module({ providers: [EchoProvider] })
class EchoModule {}

await bootstrap([EchoModule]);
