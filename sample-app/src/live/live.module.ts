import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module.js';
import { LiveController } from './live.controller.js';

@Module({ imports: [DatabaseModule], controllers: [LiveController] })
export class LiveModule {}
