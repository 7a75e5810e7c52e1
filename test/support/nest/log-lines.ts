import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

/** What Nest's loggers are told at these levels from now on, each line behind its level, until the mocks are restored. */
export function logLines(...levels: readonly ('log' | 'warn')[]): string[] {
  const lines: string[] = [];
  for (const level of levels) {
    const note = (line: unknown): void => void lines.push(`${level}: ${String(line)}`);
    jest.spyOn(Logger.prototype, level).mockImplementation(note);
  }
  return lines;
}
