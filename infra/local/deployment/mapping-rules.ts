import * as z from 'zod';
import { propertiesOf, type Resource, type Scope } from '../template/template.ts';

const queueProperties = z.object({ VisibilityTimeout: z.coerce.number().default(30) });
const functionProperties = z.object({ Timeout: z.coerce.number().default(3) });
const mappingProperties = z.object({
  BatchSize: z.coerce.number().default(10),
  MaximumBatchingWindowInSeconds: z.coerce.number().int().min(0).max(300).default(0),
});

const resourceBehind = (
  scope: Scope,
  isWanted: (physical: { reference: string; attributes: { [name: string]: string } }) => boolean,
): Resource => {
  const found = [...scope.resources].find(([, physical]) => isWanted(physical));
  const resource = found && scope.template.Resources[found[0]];
  if (!resource) throw new Error('An event source mapping names a queue or a function that the template lacks.');
  return resource;
};

/** Throws where Lambda would refuse to connect a queue with a function, although each property is in its range. */
export function checkQueueMapping(
  scope: Scope,
  {
    logicalId,
    resource,
    queueArn,
    functionName,
  }: {
    logicalId: string;
    resource: Resource;
    queueArn: string;
    functionName: string;
  },
): void {
  const { BatchSize: batchSize, MaximumBatchingWindowInSeconds: windowSeconds } = propertiesOf(
    mappingProperties,
    resource,
    scope,
  );
  const isFifo = queueArn.endsWith('.fifo');
  if (batchSize > 10 && (isFifo || windowSeconds < 1)) {
    const reason = isFifo
      ? 'a FIFO queue hands over 10 messages at most'
      : 'MaximumBatchingWindowInSeconds must be set';
    throw new Error(`${logicalId} has a batch size of ${batchSize}: ${reason}.`);
  }
  const queue = resourceBehind(scope, ({ attributes }) => attributes.Arn === queueArn);
  const target = resourceBehind(scope, ({ reference }) => reference === functionName);
  const { VisibilityTimeout: hiddenSeconds } = propertiesOf(queueProperties, queue, scope);
  const { Timeout: timeoutSeconds } = propertiesOf(functionProperties, target, scope);
  if (hiddenSeconds < timeoutSeconds) {
    throw new Error(
      `${logicalId}: Queue visibility timeout: ${hiddenSeconds} seconds is less than Function timeout: ${timeoutSeconds} seconds`,
    );
  }
}
