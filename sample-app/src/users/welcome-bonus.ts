import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { Database } from '../database/database.js';
import type { Settings } from '../settings.js';

/** Money that a partner pays to a new user, and that nobody pays back. */
@Injectable()
export class WelcomeBonus {
  constructor(
    private readonly database: Database,
    private readonly config: ConfigService<Settings, true>,
  ) {}

  async pay(email: string): Promise<void> {
    // Stands for the call to the partner.
    await sleep(this.config.get('BONUS_DELAY', { infer: true }));
    await this.database.query('insert into bonuses (email) values ($1)', [email]);
  }
}
