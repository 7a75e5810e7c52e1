import { ValidationPipe } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RedlockTestingModule } from 'nestjs-redlock/testing';
import { DuplicatesController } from '../../../sample-app/src/duplicates/duplicates.controller.js';
import { DuplicatesService } from '../../../sample-app/src/duplicates/duplicates.service.js';
import { SignUpService } from '../../../sample-app/src/users/sign-up.service.js';
import { UsersController } from '../../../sample-app/src/users/users.controller.js';
import { UsersRepository } from '../../../sample-app/src/users/users.repository.js';
import { Door } from '../../support/nest/door.js';
import { closeApps, TestApp } from '../../support/nest/test-app.js';

describe('the removal of duplicates in the sample application', () => {
  let door: Door;
  let taken: string;
  let app: TestApp;
  const removal = async (): Promise<unknown> => (await app.get('duplicates', { method: 'DELETE' })).body;

  beforeEach(async () => {
    door = new Door();
    const users = { takenTwice: async () => [taken], keepFirst: async () => 1 };
    const signUps = { signUp: ({ email }: { email: string }) => door.pass(email) };
    app = await TestApp.start(
      'Express',
      {
        imports: [RedlockTestingModule.forRoot({ isGlobal: true })],
        controllers: [UsersController, DuplicatesController],
        providers: [
          DuplicatesService,
          { provide: UsersRepository, useValue: users },
          { provide: SignUpService, useValue: signUps },
        ],
      },
      (nest) => nest.useGlobalPipes(new ValidationPipe({ transform: true })),
    );
  });

  afterEach(async () => {
    door.open();
    await closeApps();
  });

  it.each(['ann@example.com', "o'neil@example.com", 'sales/eu@example.com'])(
    'passes over an address that somebody signs up with, whatever characters it has: %s',
    async (email) => {
      taken = email;
      door.shut();
      const signUp = app.post('users', { email: ` ${email.toUpperCase()} `, name: 'Ann' });
      await door.untilVisits(1);
      expect(await removal()).toEqual({ removed: 0, busy: [email] });
      door.open();
      expect([(await signUp).status, door.visits]).toEqual([201, [email]]);
      expect(await removal()).toEqual({ removed: 1, busy: [] });
    },
  );
});
