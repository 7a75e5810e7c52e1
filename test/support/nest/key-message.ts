/** What every client is told whose request gives no usable key. */
export const KEY_MESSAGE = 'A value that this request needs is missing or not usable';
