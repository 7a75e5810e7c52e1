import type { LockedMethod } from './route-check.js';

/** The metadata keys of Nest that say what the parameters of a method are, and whether Nest answers although one of them is the response. */
const PARAMETERS = '__routeArguments__';
const ANSWERS_ALL_THE_SAME = '__responsePassthrough__';
/** Matches `@Res()` and `@Next()` by the numbers that they have there. */
const RESPONSE = /^[12]:/;
/** The modes in which the method does not run for every call, although each call has a response of its own. */
const WITHOUT_CALLS: readonly string[] = ['skip', 'join'];

/** Returns the error for a method that answers its calls itself but does not run for all of them, so that some clients would wait for ever. */
export function responseMistake({ plan, name, type }: LockedMethod): TypeError | undefined {
  const { onContended } = plan;
  if (!WITHOUT_CALLS.includes(onContended) || !answersItself(name, type)) return undefined;
  return new TypeError(
    `onContended: '${onContended}' leaves clients without an answer where the method answers by @Res() or @Next() itself: ` +
      "return the answer, or write @Res({ passthrough: true }); or have it wait or 'reject'",
  );
}

function answersItself(name: string | symbol, type: object): boolean {
  const parameters = (Reflect.getMetadata(PARAMETERS, type, name) ?? {}) as object;
  return (
    Object.keys(parameters).some((parameter) => RESPONSE.test(parameter)) &&
    Reflect.getMetadata(ANSWERS_ALL_THE_SAME, type, name) !== true
  );
}
