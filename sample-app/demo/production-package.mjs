// Makes package.json, in the working folder, that of an application: a library has under `devDependencies` what its sample
// needs to run. Names only: the versions stay those of package.json and of its lock file.
import { readFileSync, writeFileSync } from 'node:fs';

const NEEDED = [
  '@nestjs/common',
  '@nestjs/config',
  '@nestjs/core',
  // Nest loads these three by itself: for HTTP, and for ValidationPipe.
  '@nestjs/platform-express',
  'class-transformer',
  'class-validator',
  '@nestjs/terminus',
  '@opentelemetry/api',
  '@opentelemetry/exporter-prometheus',
  '@opentelemetry/sdk-metrics',
  'pg',
  'reflect-metadata',
  'rxjs',
];

const { name, version, type, exports, dependencies, devDependencies } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
const needed = NEEDED.map((each) => [each, devDependencies[each]]);
const application = { name, version, type, exports, dependencies: { ...dependencies, ...Object.fromEntries(needed) } };
writeFileSync('package.json', JSON.stringify(application, null, 2));
