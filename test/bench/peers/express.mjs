import express from 'express';
import serverless from 'serverless-http';
import { readItem } from './sdk.mjs';

const app = express();
app.get('/api/v1/items/:id', async ({ params }, response) => response.json(await readItem(params.id)));

export const handler = serverless(app);
