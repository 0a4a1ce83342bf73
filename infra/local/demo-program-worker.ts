import { parentPort } from 'node:worker_threads';
import { createProgram } from '../../shared/programs/programs.ts';

const { programId, apiKey } = await createProgram(
  { name: 'Demo program', ownerEmail: 'demo@example.com', currency: 'USD', plan: 'BUSINESS' },
  new Date(),
);
parentPort?.postMessage({ programId, apiKey });
