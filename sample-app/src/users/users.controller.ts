import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { WithLock } from 'nestjs-redlock';
import { EmailQuery, SignUpDto } from './sign-up.dto.js';
import { SignUpService } from './sign-up.service.js';
import { UsersRepository, type SignUpCount, type User } from './users.repository.js';

@Controller('users')
export class UsersController {
  constructor(
    private readonly signUps: SignUpService,
    private readonly users: UsersRepository,
  ) {}

  // The lock is taken before pipes run, from the body as it was sent: hence trim and lower here and in the DTO.
  @Post()
  @WithLock('user:<body.email|trim|lower>')
  signUp(@Body() details: SignUpDto): Promise<User> {
    return this.signUps.signUp(details);
  }

  @Get()
  count(@Query() { email }: EmailQuery): Promise<SignUpCount> {
    return this.users.count(email);
  }
}
