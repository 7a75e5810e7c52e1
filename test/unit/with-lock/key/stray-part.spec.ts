import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { compileKey } from '../../../../lib/with-lock/key/lock-key.js';
import { define } from '../../../support/nest/defined-method.js';

describe('a part that is not written as one', () => {
  it.each([
    ['user:{body.email}', '{body.email}', '<body.email>'],
    ['user:${body.email}', '${body.email}', '<body.email>'],
    ['user:#{body.email}', '#{body.email}', '<body.email>'],
    ['user:{{ body.email }}', '{{ body.email }}', '<body.email>'],
    ['user:{email}', '{email}', '<body.email>, <params.email> or <0.email>'],
    ['user:{}', '{}', '<body.email>, <params.email> or <0.email>'],
    ['user:{0.email}', '{0.email}', '<0.email>'],
    ['tenant:<params.id>:{body.email}', '{body.email}', '<body.email>'],
    ['user:body.email', 'body.email', '<body.email>'],
    ['body.email', 'body.email', '<body.email>'],
    ['user:req.body.email', 'req.body.email', '<body.email>'],
    ['user:body?.email', 'body?.email', '<body.email>'],
    ["user:body['email']", "body['email']", '<body.email>'],
    ['user-body.email', 'body.email', '<body.email>'],
    ['user:$body.email', 'body.email', '<body.email>'],
    ['order:user.id', 'user.id', '<user.id>'],
    ['order:data.id', 'data.id', '<data.id>'],
    ['order:<0>:params.id', 'params.id', '<params.id>'],
    ['user:0.email', '0.email', '<0.email>'],
    ['user::email', ':email', '<body.email>, <params.email> or <0.email>'],
    [':email', ':email', '<body.email>, <params.email> or <0.email>'],
    ['users/:id', ':id', '<body.id>, <params.id> or <0.id>'],
    ['user:{0}', '{0}', '<0>'],
    ['user:${12}', '${12}', '<12>'],
    ['user:$email', '$email', '<body.email>, <params.email> or <0.email>'],
    ['user:#email', '#email', '<body.email>, <params.email> or <0.email>'],
    ['$email', '$email', '<body.email>, <params.email> or <0.email>'],
    ['tenant:<0>:user/#id', '#id', '<body.id>, <params.id> or <0.id>'],
    ['user:%s', '%s', '<body.email>, <params.email> or <0.email>'],
    ['user:%d:profile', '%d', '<body.email>, <params.email> or <0.email>'],
  ])('is refused where the class is defined, with what to write: %s', (key, found, meant) => {
    const message = `@WithLock on Users.create: The lock key "${key}" is malformed: "${found}" is the same for all calls, which would share one lock; write ${meant}. `;
    for (const written of [key, ['all', key]]) {
      expect(() => define(written)).toThrow(TypeError);
      expect(() => define(written)).toThrow(message);
    }
    expect(() => define(key)).toThrow(/let a key function return it \[REDLOCK_E06\]$/);
  });

  it('may be the name all the same, of a key function', () => {
    const names = ['user:{body.email}', 'user::email'];
    expect(compileKey(() => names).resolve({ args: [] })).toEqual(names);
  });

  it.each([
    'report:daily',
    'a:b:c',
    'report: daily',
    'nightly',
    'v1.2',
    'release:10.4',
    'user.created',
    'data.export',
    'embody.soul',
    'app.user.created',
    'order:users.all',
    'window:12:30',
    'a>b',
    '#42',
    'price:$5',
    'issue#comments',
    'us$rate',
    'c#',
    'done: 50%',
    'name:%d0%bf',
    'name:%2Fetc',
    '100%sure',
    'user:body',
    'a::',
    '{half',
    'half}',
    'user:<0>::<1>',
    'user:<0>:email',
    'user:<0>.user.name',
    '{<0>}:b',
  ])('is none in %j', (key) => {
    expect(() => compileKey(key)).not.toThrow();
  });
});
