import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Injectable, Logger, type INestApplication } from '@nestjs/common';
import { ExternalContextCreator } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { GlobalIdempotencyExceptionFilter } from '../../../lib/idempotency/idempotency-exception.filter.js';
import { IdempotencyError } from '../../../lib/idempotency/idempotency.errors.js';

const REFUSAL = new IdempotencyError('IDEMPOTENCY_IN_PROGRESS', 'a', { retryAfter: 1_500 });

@Injectable()
class Charges {
  async charge(_id: string): Promise<void> {
    throw REFUSAL;
  }
}

describe('IdempotencyExceptionFilter', () => {
  let app: INestApplication | undefined;

  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));
  afterEach(() => app?.close());

  it('leaves the error of a method that a library calls, as if it were a handler of HTTP, to its caller', async () => {
    const providers = [Charges, GlobalIdempotencyExceptionFilter];
    const module = await Test.createTestingModule({ providers }).compile();
    app = module.createNestApplication();
    await app.init();
    const charges = app.get(Charges);
    const charge: Charges['charge'] = app
      .get(ExternalContextCreator)
      .create(charges, charges.charge as () => unknown, 'charge');
    await expect(charge('7')).rejects.toBe(REFUSAL);
  });
});
