import { Body, Controller, Post } from '@nestjs/common';
import { Idempotent } from 'nestjs-redlock/idempotency';
import { SignUpDto } from './sign-up.dto.js';
import { SignUpService } from './sign-up.service.js';
import type { User } from './users.repository.js';

/** The same sign-up with one answer for all: a duplicate gets the 201 and the body of the first request, now or later. */
@Controller('once/users')
export class OnceUsersController {
  constructor(private readonly signUps: SignUpService) {}

  @Post()
  @Idempotent('signup:<body.email|trim|lower>')
  signUp(@Body() details: SignUpDto): Promise<User> {
    return this.signUps.signUp(details);
  }
}
