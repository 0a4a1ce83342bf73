import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalAws, startLocalAws } from '../../infra/local/stack.ts';
import type { Json, Template } from '../../infra/local/template/template.ts';
import { eventually } from '../support/events.ts';

// The local AWS runs any template with its bundles, here one of a small service that keeps notes and copies each of them.

const source = `
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { readlinkSync } from 'node:fs';
import { getPriority, platform } from 'node:os';
import { basename } from 'node:path';
const priority = platform() === 'linux' ? getPriority(Number(basename(readlinkSync('/proc/thread-self')))) : 0;
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const TableName = process.env.NOTES_TABLE;
export const serve = async ({ requestContext, pathParameters: { id }, body }) => {
  const { method } = requestContext.http;
  if (method === 'PUT') await client.send(new PutCommand({ TableName, Item: { id, text: body } }));
  if (method === 'DELETE') await client.send(new DeleteCommand({ TableName, Key: { id } }));
  const { Item } = await client.send(new GetCommand({ TableName, Key: { id } }));
  return Item ? { ...Item, ...(Item.later && { later: Item.later - priority }) } : { statusCode: 404 };
};
const objects = new S3Client({});
const Bucket = process.env.FILES_BUCKET;
export const attach = async ({ requestContext, pathParameters: { id }, body }) => {
  const target = { Bucket, Key: 'notes/' + id };
  if (requestContext.http.method === 'PUT') await objects.send(new PutObjectCommand({ ...target, Body: body }));
  const { Body } = await objects.send(new GetObjectCommand(target));
  return { text: await Body.transformToString() };
};
export const copy = async ({ Records }) => {
  for (const { dynamodb } of Records) {
    const { id, text } = dynamodb.NewImage;
    if (id.S.endsWith('-copy')) continue;
    await client.send(new PutCommand({ TableName, Item: { id: id.S + '-copy', text: text.S, later: priority } }));
  }
};`;

const lambda = (handler: string) => ({
  Type: 'AWS::Lambda::Function',
  Properties: {
    Handler: `index.${handler}`,
    Timeout: 20,
    Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
    Environment: { Variables: { NOTES_TABLE: { Ref: 'Notes' }, FILES_BUCKET: { Ref: 'Files' } } },
  },
});
const allow = (action: Json, resource: Json) => ({ Effect: 'Allow', Action: action, Resource: resource });

const template: Template = {
  Resources: {
    Notes: {
      Type: 'AWS::DynamoDB::Table',
      Properties: {
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      },
    },
    Files: { Type: 'AWS::S3::Bucket' },
    Role: {
      Type: 'AWS::IAM::Role',
      Properties: {
        Policies: [
          {
            PolicyName: 'notes',
            PolicyDocument: {
              Statement: [
                allow(['dynamodb:GetItem', 'dynamodb:PutItem'], { 'Fn::GetAtt': ['Notes', 'Arn'] }),
                allow(['s3:GetObject', 's3:PutObject'], {
                  'Fn::Join': ['', [{ 'Fn::GetAtt': ['Files', 'Arn'] }, '/notes/a*']],
                }),
                allow(
                  ['GetRecords', 'GetShardIterator', 'DescribeStream', 'ListStreams'].map((name) => `dynamodb:${name}`),
                  { 'Fn::GetAtt': ['Notes', 'StreamArn'] },
                ),
              ],
            },
          },
        ],
      },
    },
    ServeNotes: lambda('serve'),
    AttachFiles: lambda('attach'),
    CopyNotes: lambda('copy'),
    Copying: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: { 'Fn::GetAtt': ['Notes', 'StreamArn'] },
        FunctionName: { Ref: 'CopyNotes' },
        StartingPosition: 'TRIM_HORIZON',
      },
    },
    Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { Name: 'notes', ProtocolType: 'HTTP' } },
    Integration: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: { IntegrationUri: { 'Fn::GetAtt': ['ServeNotes', 'Arn'] } },
    },
    Route: {
      Type: 'AWS::ApiGatewayV2::Route',
      Properties: {
        RouteKey: 'ANY /notes/{id}',
        Target: { 'Fn::Join': ['/', ['integrations', { Ref: 'Integration' }]] },
      },
    },
    AttachIntegration: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: { IntegrationUri: { 'Fn::GetAtt': ['AttachFiles', 'Arn'] } },
    },
    AttachRoute: {
      Type: 'AWS::ApiGatewayV2::Route',
      Properties: {
        RouteKey: 'ANY /files/{id}',
        Target: { 'Fn::Join': ['/', ['integrations', { Ref: 'AttachIntegration' }]] },
      },
    },
  },
  Outputs: { NotesTable: { Value: { Ref: 'Notes' } } },
};

const folder = mkdtempSync(join(tmpdir(), 'another-project-'));
const warnings: string[] = [];
let aws: LocalAws;

beforeAll(async () => {
  const codeFolder = join(folder, 'code');
  mkdirSync(codeFolder);
  // As in Lambda, no package.json further up applies.
  writeFileSync(join(codeFolder, 'package.json'), '{}');
  await build({
    stdin: { contents: source, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    outfile: join(codeFolder, 'index.js'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
  });
  aws = await startLocalAws({
    readAssembly: async () => ({ stackName: 'notes', template, codeFolder: () => codeFolder }),
    port: 0,
    dataFolder: join(folder, 'data'),
    ephemeral: true,
    warn: (line) => warnings.push(line),
  });
});
afterAll(async () => {
  await aws?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const call = (method: string, id: string, body?: string) =>
  fetch(`${aws.apiUrl}/notes/${id}`, { method, ...(body !== undefined && { body }) });

it('runs the API, the table and the stream of a template that is not this product', async () => {
  // In a database that is shared, a prefix comes before it.
  expect(aws.outputs).toEqual({ NotesTable: expect.stringMatching(/^(\S+-)?notes-Notes$/) });
  expect(await (await call('PUT', 'one', 'Buy milk')).json()).toEqual({ id: 'one', text: 'Buy milk' });
  expect((await call('GET', 'two')).status).toBe(404);
  await eventually('the copy', async () => (await call('GET', 'one-copy')).status === 200);
  // Linux has a priority of each thread.
  const later = process.platform === 'linux' && { later: 10 };
  expect(await (await call('GET', 'one-copy')).json()).toEqual({ id: 'one-copy', text: 'Buy milk', ...later });
});

it('refuses what the role of a function does not allow', async () => {
  expect((await call('PUT', 'kept', 'Buy bread')).status).toBe(200);
  expect((await call('DELETE', 'kept')).status).toBe(500);
  expect(warnings.join('\n')).toContain('Access denied: serve-notes called dynamodb:DeleteItem');
  expect((await call('GET', 'kept')).status).toBe(200);
});

it('runs the bucket of a template, and refuses keys that the role does not allow', async () => {
  const attach = (method: string, id: string) =>
    fetch(`${aws.apiUrl}/files/${id}`, { method, ...(method === 'PUT' && { body: 'A picture' }) });
  expect(await (await attach('PUT', 'a1')).json()).toEqual({ text: 'A picture' });
  expect(await (await attach('GET', 'a1')).json()).toEqual({ text: 'A picture' });
  expect((await attach('PUT', 'b1')).status).toBe(500);
  expect(warnings.join('\n')).toContain(
    'Access denied: attach-files called s3:PutObject on arn:aws:s3:::notes-files/notes/b1',
  );
});

it('does not start with a resource that it does not run, and says which', async () => {
  const withStream: Template = {
    ...template,
    Resources: { ...template.Resources, Numbers: { Type: 'AWS::Kinesis::Stream' } },
  };
  const starting = startLocalAws({
    readAssembly: async () => ({ stackName: 'notes', template: withStream, codeFolder: () => folder }),
    port: 0,
    dataFolder: join(folder, 'with-stream'),
    ephemeral: true,
  });
  await expect(starting).rejects.toThrow(
    'The local stack does not run the resource Numbers of type AWS::Kinesis::Stream.',
  );
});
