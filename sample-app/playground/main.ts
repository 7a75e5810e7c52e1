import { traceHash } from './grants.js';
import { listPlaces, Page } from './view/page.js';

listPlaces();
const page = new Page();
// The test compares the hashes with those of Node.
Object.assign(globalThis, { playground: { traceHash } });
void page.open(location.search);
