import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { checkpointFile, readSoundJson } from '../data/damaged-data.ts';
import { writeJsonAtomically } from '../data/data-folder.ts';
import type { Identity } from '../iam/identities.ts';
import { requireMappingAccess } from '../iam/mapping-access.ts';
import type { LambdaFunction } from '../lambda/function.ts';
import { queueMappingProperties, startQueuePoller } from '../queues/poller.ts';
import { type Poller, startStreamPoller, streamMappingProperties } from '../streams/poller.ts';
import { openStreamReader } from '../streams/records.ts';
import { propertiesOf, resourcesOf, type Scope } from '../template/template.ts';
import { checkQueueMapping } from './mapping-rules.ts';

const mappingProperties = z.object({
  EventSourceArn: z.string(),
  FunctionName: z.string(),
  Enabled: z.coerce.boolean().default(true),
});
const destinationProperties = streamMappingProperties.pick({ DestinationConfig: true });

export interface EventSourcesSettings {
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  /** Of the functions: a mapping reads and deletes as the role of its function. */
  readonly identities: readonly Identity[];
  readonly dynamodbEndpoint: string;
  readonly queues: SQSClient;
  readonly checkpointFolder: string;
  readonly warn: (line: string) => void;
}

/** Starts a poller for each of the template's event source mappings. Throws where a role does not allow what one does. */
export function startEventSources(scope: Scope, settings: EventSourcesSettings): Poller[] {
  const read = openStreamReader(settings.dynamodbEndpoint);
  const pollers: Poller[] = [];
  for (const { logicalId, resource } of resourcesOf(scope, 'AWS::Lambda::EventSourceMapping')) {
    const { EventSourceArn: sourceArn, FunctionName, Enabled } = propertiesOf(mappingProperties, resource, scope);
    if (!Enabled) continue;
    const target = settings.functions.get(FunctionName.split(':').at(-1) ?? '');
    if (!target) throw new Error(`${logicalId} names the function ${FunctionName}, which the template lacks.`);
    const identity = settings.identities.find(({ functionName }) => functionName === target.name);
    const destination = propertiesOf(destinationProperties, resource, scope).DestinationConfig?.OnFailure.Destination;
    requireMappingAccess(identity?.statements ?? [], sourceArn, destination);
    if (sourceArn.includes(':sqs:')) {
      const queueUrl = queueUrlOf(scope, sourceArn);
      checkQueueMapping(scope, { logicalId, resource, queueArn: sourceArn, functionName: target.name });
      const mapping = propertiesOf(queueMappingProperties, resource, scope);
      const { queues: client, warn } = settings;
      pollers.push(startQueuePoller({ client, queueUrl, queueArn: sourceArn, target, mapping, warn }));
    } else {
      pollers.push(
        startStreamPoller({
          endpoint: settings.dynamodbEndpoint,
          read,
          streamArn: sourceArn,
          target,
          mapping: propertiesOf(streamMappingProperties, resource, scope),
          checkpoint: openCheckpoint(settings.checkpointFolder, logicalId, sourceArn),
          sendToQueue: async (queueArn, body) => {
            const message = { QueueUrl: queueUrlOf(scope, queueArn), MessageBody: body };
            await settings.queues.send(new SendMessageCommand(message));
          },
          warn: settings.warn,
        }),
      );
    }
  }
  return pollers;
}

function queueUrlOf(scope: Scope, arn: string): string {
  const queue = [...scope.resources.values()].find(({ attributes }) => attributes.Arn === arn);
  if (!queue) throw new Error(`The template has no queue ${arn}.`);
  return queue.reference;
}

/** How far a mapping has read its stream, in a file; the checkpoint of another stream does not count. */
export function openCheckpoint(folder: string, logicalId: string, streamArn: string) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${logicalId}.json`);
  let written: string | undefined;
  return {
    read: (): string | undefined => {
      const kept = readSoundJson(folder, `${logicalId}.json`, checkpointFile);
      return kept?.streamArn === streamArn ? kept.sequenceNumber : undefined;
    },
    write: (sequenceNumber: string): void => {
      if (sequenceNumber !== written) writeJsonAtomically(file, { streamArn, sequenceNumber });
      written = sequenceNumber;
    },
  };
}
