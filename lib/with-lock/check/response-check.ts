import type { LockedMethod } from './route-check.js';

/** Nest's own marks: what the parameters of a method are, and whether Nest answers though one of them is the response. */
const PARAMETERS = '__routeArguments__';
const ANSWERS_ALL_THE_SAME = '__responsePassthrough__';
/** `@Res()` and `@Next()`, as they are numbered there. */
const RESPONSE = /^[12]:/;
/** What leaves out calls of the method, each of which has a response of its own. */
const WITHOUT_CALLS: readonly string[] = ['skip', 'join'];

/** Why clients of a method would wait for ever, which answers its own calls and is not called for all of them. */
export function misfitOfResponse({ plan, method, type }: LockedMethod): TypeError | undefined {
  const { onContended } = plan;
  if (!WITHOUT_CALLS.includes(onContended) || !answersItself(method, type)) return undefined;
  return new TypeError(
    `onContended: '${onContended}' leaves clients without an answer where the method answers by @Res() or @Next() itself: ` +
      "return the answer, or write @Res({ passthrough: true }); or have it wait or 'reject'",
  );
}

function answersItself(method: object, type: object): boolean {
  const { name } = method as { readonly name: string };
  const parameters = (Reflect.getMetadata(PARAMETERS, type, name) ?? {}) as object;
  return (
    Object.keys(parameters).some((parameter) => RESPONSE.test(parameter)) &&
    Reflect.getMetadata(ANSWERS_ALL_THE_SAME, type, name) !== true
  );
}
