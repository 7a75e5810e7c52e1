import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Post } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { IdempotencyError, type IdempotencyErrorCode, RedlockIdempotencyModule } from 'nestjs-redlock/idempotency';
import { KEPT_BY_DEFAULT } from '../../lib/idempotency/http-headers.js';
import { toHttpRefusal } from '../../lib/idempotency/idempotency-exception.filter.js';
import { KEEP } from '../../lib/idempotency/idempotency.options.js';
import { idempotentPlanOf } from '../../lib/idempotency/idempotent-plan.js';
import { readFileSync } from 'node:fs';
import { DEFAULT_LOCK_OPTIONS } from '../../lib/engine/options.js';
import { CLOSED_PORTS, poolOn } from '../support/nest/nodes.js';
import { programsOf, RecipeReplicas } from '../support/recipe-replicas.js';

const PAGE = 'docs/guides/idempotency.md';
const TEXT = readFileSync(PAGE, 'utf8');
const ERRORS = readFileSync('docs/reference/errors.md', 'utf8');
/** Ms: nodes and replicas are to start beside other tests. */
const PATIENCE = 120_000;

/** All codes; the compiler wants each. `SUPERSEDED` is for the code of the application, which clients do not get. */
const CODES: Readonly<Record<IdempotencyErrorCode, 'clients' | 'code'>> = {
  IDEMPOTENCY_IN_PROGRESS: 'clients',
  IDEMPOTENCY_KEY_REUSED: 'clients',
  IDEMPOTENCY_KEY_MISSING: 'clients',
  IDEMPOTENCY_KEY_INVALID: 'clients',
  IDEMPOTENCY_OUTCOME_UNKNOWN: 'clients',
  IDEMPOTENCY_REPLY_NOT_KEPT: 'clients',
  IDEMPOTENCY_REPLY_UNREADABLE: 'clients',
  IDEMPOTENCY_STORE_UNAVAILABLE: 'clients',
  IDEMPOTENCY_SUPERSEDED: 'code',
};
const ALL = Object.keys(CODES) as IdempotencyErrorCode[];
const ANSWERED = ALL.filter((code) => CODES[code] === 'clients');

function statusOf(code: IdempotencyErrorCode): number {
  const response = { statusCode: 201, getHeaders: () => ({}), removeHeader: () => undefined };
  const adapter = { isHeadersSent: () => true, status: () => undefined, setHeader: () => undefined };
  const place = { response, adapter, docs: undefined };
  return toHttpRefusal(new IdempotencyError(code, 'key'), place).getStatus();
}

/** The cells of the row of a table that names this in its first cell, or in any. */
function rowOf(page: string, name: string): string[] {
  const lines = page.split('\n').filter((text) => text.startsWith('|') && text.includes(`\`${name}\``));
  const line = lines.find((text) => text.startsWith(`| \`${name}\``)) ?? lines[0];
  return (line ?? '').split('|').map((cell) => cell.trim());
}

describe('docs/guides/idempotency.md', () => {
  let replicas: RecipeReplicas;
  let urls: string[];

  beforeAll(async () => {
    replicas = await RecipeReplicas.start(PAGE);
    urls = await replicas.urls();
  }, PATIENCE);

  afterAll(() => replicas.stop(), PATIENCE);

  function post(replica: number, path: string, fields: Record<string, string>, key?: string): Promise<Response> {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
    return fetch(`${urls[replica]}/${path}`, { method: 'POST', headers, body: new URLSearchParams(fields) });
  }

  it(
    'has the code that is run here',
    () => {
      const files = [
        'app.module.ts',
        'idempotent-route.ts',
        'charges.controller.ts',
        'payouts.service.ts',
        'sealed.module.ts',
      ];
      expect(programsOf(PAGE).map(({ file }) => file)).toEqual(files);
    },
    PATIENCE,
  );

  it('has a first example that answers the two requests of the page alike, at two replicas', async () => {
    const lines = [...TEXT.matchAll(/^curl -i -H 'idempotency-key: (\w+)' -d item=(\w+) localhost:3000\/(\w+)$/gm)];
    expect(lines).toHaveLength(2);
    const replies: Response[] = [];
    for (const [replica, [, key, item, path]] of lines.entries())
      replies.push(await post(replica, path!, { item: item! }, key));
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    expect(replies.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    const [first, second] = await Promise.all(replies.map((reply) => reply.text()));
    expect(second).toBe(first);
  });

  it('has a natural key that takes two ways of writing an address for one', async () => {
    const first = await post(0, 'users', { email: 'ann@example.com' });
    const again = await post(1, 'users', { email: 'ann@example.com' });
    expect(await again.text()).toBe(await first.text());
    expect((await post(1, 'users', { email: ' Ann@example.com' })).status).toBe(422);
  });

  it('shows the body of a refusal as a client gets it', async () => {
    const [, shown] = /```json\n(.*?)```/s.exec(TEXT)!;
    await post(0, 'orders', { item: 'pen' }, 'shown');
    const refused = await post(1, 'orders', { item: 'ink' }, 'shown');
    expect([refused.status, await refused.json()]).toEqual([422, JSON.parse(shown!)]);
  });

  it('has a decorator that OpenAPI shows as a header and two answers, and that keeps replies', async () => {
    type Route = { IdempotentRoute(): MethodDecorator };
    const { IdempotentRoute } = await replicas.pasted.run<Route>('idempotent-route.ts');
    @Controller('parcels')
    class Parcels {
      @Post()
      @IdempotentRoute()
      send(): void {}
    }
    const imports = [poolOn(CLOSED_PORTS), RedlockIdempotencyModule.forRoot({ principal: '<user.id>' })];
    const module = await Test.createTestingModule({ imports, controllers: [Parcels] }).compile();
    const application = module.createNestApplication({ logger: false });
    const { paths } = SwaggerModule.createDocument(application, new DocumentBuilder().build());
    const { parameters, responses } = paths['/parcels']!.post!;
    expect(parameters).toMatchObject([{ name: 'Idempotency-Key', in: 'header', required: true }]);
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['409', '422']));
    expect(idempotentPlanOf(Parcels.prototype.send)).toBeDefined();
  });

  it.each(ANSWERED)('has the status of %s', (code) => {
    expect(rowOf(TEXT, code)[2]).toContain(String(statusOf(code)));
    expect(rowOf(ERRORS, code)[2]).toContain(String(statusOf(code)));
  });

  it('has a row for each code on the page of errors', () => {
    expect(ALL.filter((code) => rowOf(ERRORS, code).length < 3)).toEqual([]);
  });

  it('has the defaults', () => {
    const figure = (value: number): string => value.toLocaleString('en-US');
    const { onNodes, inDatabase } = KEEP;
    for (const name of ['keep', 'maxBytes'] as const)
      expect(rowOf(TEXT, name)[2]).toBe(`${figure(onNodes[name])}; database ${figure(inDatabase[name])}`);
    expect(rowOf(TEXT, 'waitTimeout')[2]).toBe(figure(DEFAULT_LOCK_OPTIONS.waitTimeout));
    for (const header of KEPT_BY_DEFAULT) expect(TEXT).toContain(`\`${header}\``);
  });
});
