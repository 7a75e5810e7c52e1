import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';

export interface User {
  id: number;
  email: string;
  name: string;
}

export interface SignUpCount {
  email: string;
  users: number;
  bonuses: number;
}

@Injectable()
export class UsersRepository {
  constructor(private readonly database: Database) {}

  async exists(email: string): Promise<boolean> {
    const users = await this.database.query('select 1 from users where email = $1 limit 1', [email]);
    return users.length > 0;
  }

  async insert(email: string, name: string): Promise<User> {
    const sql = 'insert into users (email, name) values ($1, $2) returning id, email, name';
    const [user] = await this.database.query<User>(sql, [email, name]);
    return user!;
  }

  async count(email: string): Promise<SignUpCount> {
    const sql = `select $1::text as email,
      (select count(*)::integer from users where email = $1) as users,
      (select count(*)::integer from bonuses where email = $1) as bonuses`;
    const [count] = await this.database.query<SignUpCount>(sql, [email]);
    return count!;
  }

  /** Addresses with more than one user. */
  async takenTwice(): Promise<string[]> {
    const sql = 'select email from users group by email having count(*) > 1 order by email';
    const rows = await this.database.query<{ email: string }>(sql);
    return rows.map(({ email }) => email);
  }

  /** Removes all users of the address but the first one; answers how many these were. */
  async keepFirst(email: string): Promise<number> {
    const sql = `delete from users where email = $1 and id > (select min(id) from users where email = $1) returning id`;
    const removed = await this.database.query(sql, [email]);
    return removed.length;
  }
}
