import { ConflictException, Injectable } from '@nestjs/common';
import type { SignUpDto } from './sign-up.dto.js';
import { UsersRepository, type User } from './users.repository.js';
import { WelcomeBonus } from './welcome-bonus.js';

@Injectable()
export class SignUpService {
  constructor(
    private readonly users: UsersRepository,
    private readonly bonus: WelcomeBonus,
  ) {}

  /** Right for one request at a time; what lies between the look and the insert is the race. */
  async signUp({ email, name }: SignUpDto): Promise<User> {
    if (await this.users.exists(email)) throw new ConflictException(`${email} is already signed up`);
    await this.bonus.pay(email);
    return this.users.insert(email, name);
  }
}
