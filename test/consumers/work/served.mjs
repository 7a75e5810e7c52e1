import { checkOnce } from './once.mjs';
import { checkRace } from './race.mjs';

/**
 * Compiles the application, and starts it twice, as two replicas.
 * @param {import('../harness/workplace.mjs').Application & { program: string }} application
 * @returns {(place: import('../harness/workplace.mjs').Workplace) => Promise<void>}
 */
export function served({ program, ...application }) {
  return async (place) => {
    const folder = place.furnish({ ...application, apps: [...application.apps, `servers/${program}`] });
    await place.run(folder, place.installed(application.install, 'typescript/bin/tsc'), '--project', '.');
    const replicas = [1, 2].map(() => place.start(folder, `dist/${program}.js`, /listening on (\S+)/));
    const urls = await Promise.all(replicas);
    await checkRace(urls);
    await checkOnce(urls);
  };
}
