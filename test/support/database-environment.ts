import { inject } from 'vitest';

// A setup file: code of the domain reads its tables' names and addresses from the environment, as in a function.
Object.assign(process.env, inject('databaseEnvironment'));
