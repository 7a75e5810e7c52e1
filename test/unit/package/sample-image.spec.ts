import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const DOCKERFILE = readFileSync('sample-app/Dockerfile', 'utf8');
const [BUILD, , LAST] = DOCKERFILE.split(/^FROM /m).slice(1);
const SCRIPT = 'sample-app/demo/production-package.mjs';

interface Package {
  readonly dependencies: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

function readPackage(folder = '.'): Package {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package;
}

/** package.json as the image has it. */
function productionPackage(): Package {
  const folder = mkdtempSync(join(tmpdir(), 'redlock-package-'));
  try {
    copyFileSync('package.json', join(folder, 'package.json'));
    execFileSync(process.execPath, [resolve(SCRIPT)], { cwd: folder });
    return readPackage(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The packages of others that the sources of the sample import by name. */
function importedPackages(): Set<string> {
  const sources = readdirSync('sample-app/src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const text = sources.map((file) => readFileSync(join('sample-app/src', file), 'utf8')).join('\n');
  const names = [...text.matchAll(/(?:from|import|import\() ?'((?:@[\w.-]+\/)?[\w:-]+)/g)].map(([, name]) => name!);
  // PGlite is for a start without a Postgres server: no image needs it.
  const known = [...builtinModules, 'nestjs-redlock', '@electric-sql/pglite'];
  return new Set(names.filter((name) => !name.startsWith('node:') && !known.includes(name)));
}

describe('the image of the sample app', () => {
  it('is built from files that are there, and that .dockerignore lets in', () => {
    const copies = [...DOCKERFILE.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files]) => files!.split(' '));
    const allowed = readFileSync('.dockerignore', 'utf8').match(/(?<=^!).+/gm)!;
    expect(copies).toEqual(expect.arrayContaining(['package-lock.json', 'lib', 'sample-app/src', SCRIPT]));
    expect(copies.filter((file) => !existsSync(file) || !allowed.includes(file))).toEqual([]);
    expect(allowed.filter((file) => !copies.includes(file))).toEqual([]);
  });

  it('installs what the sample imports, in the versions of the repository, and nothing for development', () => {
    const { dependencies, devDependencies } = productionPackage();
    const own = readPackage();
    expect(devDependencies).toBeUndefined();
    const imported = [...importedPackages()];
    expect(imported).toEqual(expect.arrayContaining(['@nestjs/core', 'pg', 'reflect-metadata', 'rxjs']));
    expect(imported.filter((name) => !(name in dependencies))).toEqual([]);
    expect({ ...own.dependencies, ...own.devDependencies }).toMatchObject(dependencies);
    // Nest loads these by itself.
    for (const name of ['@nestjs/platform-express', 'class-validator', 'class-transformer'])
      expect(dependencies).toHaveProperty([name]);
  });

  it('runs Node itself, for production, as a user without rights, and asks the route of readiness', () => {
    expect(LAST).toContain('NODE_ENV=production');
    expect(LAST).toMatch(/^USER node$/m);
    expect(LAST).toMatch(/^CMD \["node", .*"dist\/sample-app\/main\.js"\]$/m);
    expect(LAST).toMatch(/^HEALTHCHECK [^]*CMD \["node", .*\/health\/ready/m);
    expect(BUILD).toContain('npm ci --ignore-scripts');
  });
});
