import awsLambdaFastify from '@fastify/aws-lambda';
import fastify from 'fastify';
import { readItem } from './sdk.mjs';

const app = fastify();
app.get('/api/v1/items/:id', async ({ params }) => readItem(params.id));

export const handler = awsLambdaFastify(app);
