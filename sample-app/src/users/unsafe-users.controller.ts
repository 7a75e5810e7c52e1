import { Body, Controller, Post } from '@nestjs/common';
import { SignUpDto } from './sign-up.dto.js';
import { SignUpService } from './sign-up.service.js';
import type { User } from './users.repository.js';

/** The same sign-up without its lock, to see what happens: two requests look, find nobody, and both go on. */
@Controller('unsafe/users')
export class UnsafeUsersController {
  constructor(private readonly signUps: SignUpService) {}

  @Post()
  signUp(@Body() details: SignUpDto): Promise<User> {
    return this.signUps.signUp(details);
  }
}
