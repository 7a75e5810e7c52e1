export { advised as adviceFor } from '../../redis/trust/refusals.js';
