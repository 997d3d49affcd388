// Writes docs/openapi.json from the built server's controllers, none of which is instantiated.
import 'reflect-metadata';
import { fileURLToPath } from 'node:url';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../dist/src/app.module.js';
import { loadConfig } from '../dist/src/config/load-config.js';
import { buildDocument } from '../dist/src/http/openapi/openapi.js';
import { keepGenerated } from './generated-file.mjs';

const path = fileURLToPath(new URL('../docs/openapi.json', import.meta.url));
const module = AppModule.of(loadConfig({}, false), {});
const app = await NestFactory.create(module, { preview: true, logger: false, abortOnError: false });
await keepGenerated(path, JSON.stringify(buildDocument(app)), 'docs:openapi');
