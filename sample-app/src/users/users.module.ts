import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module.js';
import { OnceUsersController } from './once-users.controller.js';
import { SignUpService } from './sign-up.service.js';
import { UnsafeUsersController } from './unsafe-users.controller.js';
import { UsersController } from './users.controller.js';
import { UsersRepository } from './users.repository.js';
import { WelcomeBonus } from './welcome-bonus.js';

@Module({
  imports: [DatabaseModule],
  controllers: [UsersController, UnsafeUsersController, OnceUsersController],
  providers: [SignUpService, UsersRepository, WelcomeBonus],
  exports: [UsersRepository],
})
export class UsersModule {}
