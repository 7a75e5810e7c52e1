// Packages that the types of terminus 11 name, and that an application need not have.
declare module 'mongoose';
declare module 'typeorm';
