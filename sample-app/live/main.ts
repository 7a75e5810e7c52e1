import { Live } from './live.js';

new Live().open();
