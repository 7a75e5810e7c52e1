/** The name by which CLIENT LIST tells the connections of this library from others of the application. */
export const CONNECTION_NAME = 'nestjs-redlock';

/** Returns the name of the connections of an application; Redis takes no spaces, and nothing beyond ASCII. */
export function connectionNameOf(application: string | undefined): string {
  return application === undefined ? CONNECTION_NAME : `${CONNECTION_NAME}:${application.replaceAll(/[^!-~]+/gu, '-')}`;
}
