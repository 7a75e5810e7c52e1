import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { getRedlockToken, InjectRedlock } from '../../lib/redlock.tokens.js';

describe('getRedlockToken', () => {
  it('differs by pool, and stays the same for the same one', () => {
    const tokens = [getRedlockToken(), getRedlockToken('reports'), getRedlockToken('users')];
    expect(new Set(tokens).size).toBe(3);
    expect(getRedlockToken('reports')).toBe(tokens[1]);
  });
});

describe('InjectRedlock', () => {
  @Injectable()
  class Reports {
    @InjectRedlock('users') readonly users: unknown;

    constructor(
      @InjectRedlock() readonly unnamed: unknown,
      @InjectRedlock('reports') readonly reports: unknown,
    ) {}
  }

  it('injects the service of its pool into constructors and properties', async () => {
    const pools = [undefined, 'reports', 'users'].map((name) => ({
      provide: getRedlockToken(name),
      useValue: name ?? 'unnamed',
    }));
    const module = await Test.createTestingModule({ providers: [Reports, ...pools] }).compile();
    expect(module.get(Reports)).toMatchObject({ unnamed: 'unnamed', reports: 'reports', users: 'users' });
  });
});
