import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module.js';
import { DuplicatesController } from './duplicates.controller.js';
import { DuplicatesService } from './duplicates.service.js';

@Module({
  imports: [UsersModule],
  controllers: [DuplicatesController],
  providers: [DuplicatesService],
})
export class DuplicatesModule {}
