/** What every client is told whose request gives no usable key. */
export const KEY_MESSAGE = 'Something in the request that it is locked by is missing or cannot be used';
