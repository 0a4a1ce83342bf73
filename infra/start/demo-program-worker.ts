import { parentPort, workerData } from 'node:worker_threads';
import { createProgram } from '../../shared/domain/programs/programs.ts';

const { programId, apiKey } = await createProgram(
  {
    name: 'Demo program',
    ownerEmail: workerData.ownerEmail,
    currency: 'USD',
    plan: 'BUSINESS',
    baseUrls: ['https://shop.example/'],
  },
  new Date(),
);
parentPort?.postMessage({ programId, apiKey });
