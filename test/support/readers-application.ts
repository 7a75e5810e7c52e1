import type { CodeBlock } from './readme.js';

/** The files that the code of docs/guides/with-lock.md imports from the application of its reader. `steps` holds what they do. */
export const READERS_APPLICATION: readonly CodeBlock[] = [
  { file: 'steps.ts', code: 'export const steps: string[] = [];' },
  {
    file: 'transactional.ts',
    code: `import { steps } from './steps.js';
type Method = (...args: never[]) => Promise<unknown>;
export function Transactional() {
  return <T extends Method>(_target: object, _name: string, descriptor: TypedPropertyDescriptor<T>): void => {
    const work = descriptor.value!;
    const within = async function (this: unknown, ...args: never[]): Promise<unknown> {
      steps.push('begin');
      const result = await work.apply(this, args);
      steps.push('commit');
      return result;
    };
    descriptor.value = within as T;
  };
}`,
  },
  {
    file: 'users.ts',
    code: `import { Injectable } from '@nestjs/common';
import { steps } from './steps.js';
@Injectable()
export class Users {
  async has(email: string): Promise<boolean> { return email === ''; }
  async add(_user: object): Promise<void> { steps.push('work'); }
  async rename(id: string, name: string): Promise<void> { steps.push(\`\${id} is \${name}\`); }
}`,
  },
];
