export const hostname = (): string => 'page';
