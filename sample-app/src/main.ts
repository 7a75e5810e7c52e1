import 'reflect-metadata';
import { ConsoleLogger, ValidationPipe } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import type { Settings } from './settings.js';

const app = await NestFactory.create(AppModule, { bufferLogs: true });
const config: ConfigService<Settings, true> = app.get(ConfigService);

app.useLogger(new ConsoleLogger({ prefix: 'sample-app', logLevels: config.get('LOG_LEVELS', { infer: true }) }));
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }));
// Without this a SIGTERM ends the process in the middle of a sign-up, and its lock lives on until its ttl is over.
app.enableShutdownHooks();

await app.listen(config.get('PORT', { infer: true }), config.get('HOST', { infer: true }));
// The launcher of several replicas on free ports has to be told which ports they got.
process.send?.({ url: await app.getUrl() });
