import type { LockedMethod } from './route-check.js';

/** Returns the error for a key that reads an argument which the method does not have; undefined if the number of arguments is not known. */
export function argumentMistake({ plan, method, name, type }: LockedMethod): TypeError | undefined {
  const { length } = method as { readonly length: number };
  const prototype = (type as { readonly prototype: object }).prototype;
  // Set with `emitDecoratorMetadata`. If a parameter has a default, or takes all remaining arguments, `length` is less.
  const parameters: unknown = Reflect.getMetadata('design:paramtypes', prototype, name);
  if (!Array.isArray(parameters) || parameters.length !== length) return undefined;
  const absent = plan.key.positions.find((position) => position >= length);
  if (absent === undefined) return undefined;
  const last = length - 1;
  const there = last < 0 ? 'it has none' : last === 0 ? '<0> is its only one' : `its arguments are <0> to <${last}>`;
  return new TypeError(`<${absent}> reads an argument that this method does not have: ${there}`);
}
