import { Body, Controller, Post, UploadedFile, UseInterceptors } from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WithLock } from 'nestjs-redlock';
import { RedlockTestingModule } from 'nestjs-redlock/testing';
import { closeApps, TestApp } from '../../support/nest/test-app.js';

interface Form {
  readonly email: string;
}

interface File {
  readonly size: number;
}

/** The interceptor of the method parses the form after a key of the request is read. */
@Controller('method')
class ParsedByMethod {
  @Post('request')
  @UseInterceptors(FileInterceptor('picture'))
  @WithLock('user:<body.email>')
  async byRequest(@Body() { email }: Form, @UploadedFile() { size }: File): Promise<object> {
    return { email, size };
  }

  @Post('argument')
  @UseInterceptors(FileInterceptor('picture'))
  @WithLock('user:<0.email>')
  async byArgument(@Body() { email }: Form, @UploadedFile() { size }: File): Promise<object> {
    return { email, size };
  }
}

@Controller('class')
@UseInterceptors(FileInterceptor('picture'))
class ParsedByClass {
  @Post('request')
  @WithLock('user:<body.email>')
  async byRequest(@Body() { email }: Form, @UploadedFile() { size }: File): Promise<object> {
    return { email, size };
  }
}

describe('an upload, whose form an interceptor parses,', () => {
  let app: TestApp;
  const upload = (path: string): Promise<Response> => {
    const form = new FormData();
    form.set('email', 'ann@example.com');
    form.set('picture', new Blob(['12345']), 'ann.png');
    return fetch(`${app.url}/${path}`, { method: 'POST', body: form });
  };

  beforeEach(async () => {
    const imports = [RedlockTestingModule.forRoot()];
    app = await TestApp.start('Express', { imports, controllers: [ParsedByMethod, ParsedByClass] });
  });

  afterEach(closeApps);

  it.each([
    ['the argument, with the interceptor at the method', 'method/argument'],
    ['the body, with the interceptor at the controller', 'class/request'],
  ])('is locked by %s', async (_case, path) => {
    const response = await upload(path);
    expect([response.status, await response.json()]).toEqual([201, { email: 'ann@example.com', size: 5 }]);
    expect(app.log.acquired).toEqual(['user:ann@example.com']);
  });

  it('has no body yet where the interceptor is at the method, and is a 400', async () => {
    const response = await upload('method/request');
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'LOCK_KEY' }]);
    expect(app.log.acquired).toEqual([]);
  });
});
