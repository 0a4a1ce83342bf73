import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { readItem } from './sdk.mjs';

const app = new Hono();
app.get('/api/v1/items/:id', async (context) => context.json(await readItem(context.req.param('id'))));

export const handler = handle(app);
