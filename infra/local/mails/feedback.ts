import { randomUUID } from 'node:crypto';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { accountId, region } from '../account.ts';
import { evaluate } from '../iam/evaluate.ts';
import { readPolicy } from '../iam/policy.ts';
import { type Json, nameOf, propertiesOf, resolve, resourcesOf, type Scope } from '../template/template.ts';

// Topics of SNS that lead to queues, as far as events of SES need them.

const subscriptionProperties = z.object({
  TopicArn: z.string(),
  Endpoint: z.string(),
  Protocol: z.string(),
  RawMessageDelivery: z.coerce.boolean().default(false),
});

/** Tells `scope` what the topics of the template are called. */
export const deployTopics = (scope: Scope): void => {
  for (const { logicalId, resource } of resourcesOf(scope, 'AWS::SNS::Topic')) {
    const name = nameOf(logicalId, resource.Properties?.TopicName, scope);
    const arn = `arn:aws:sns:${region}:${accountId}:${name}`;
    scope.resources.set(logicalId, { reference: arn, attributes: { TopicArn: arn, TopicName: name } });
  }
};

interface Allowed {
  /** `AWS::SQS::QueuePolicy` and the property that lists what it is about. */
  readonly type: string;
  readonly about: string;
  /** How a resource is named there. */
  readonly reference: string;
  readonly service: string;
  readonly action: string;
  readonly arn: string;
  readonly sourceArn: string;
}

/** Throws where no resource policy of the template lets a service of AWS do this, which AWS would refuse. */
const requireAllowed = (scope: Scope, { type, about, reference, service, action, arn, sourceArn }: Allowed): void => {
  const statements = resourcesOf(scope, type).flatMap(({ resource: { Properties = {} } }) => {
    const listed = resolve(Properties[about] ?? [], scope) as Json[];
    return listed.includes(reference) ? readPolicy(resolve(Properties.PolicyDocument ?? null, scope)) : [];
  });
  const context = { 'aws:SecureTransport': 'true', 'aws:SourceAccount': accountId, 'aws:SourceArn': sourceArn };
  const request = { action, resource: arn, principal: `Service:${service}`, context };
  if (evaluate(statements, request).outcome !== 'ALLOWED')
    throw new Error(`No policy of the template allows ${service} the action ${action} on ${arn}.`);
};

/** A text, as SNS takes it. */
export type Publish = (text: string) => Promise<void>;

/** How a service publishes to a topic. Throws where a policy does not allow what has to be done. */
export const openTopic = (
  scope: Scope,
  { topicArn, service, sourceArn, queues }: { topicArn: string; service: string; sourceArn: string; queues: SQSClient },
): Publish => {
  const ofTopic = { type: 'AWS::SNS::TopicPolicy', about: 'Topics', reference: topicArn, arn: topicArn };
  requireAllowed(scope, { ...ofTopic, service, action: 'sns:Publish', sourceArn });
  const subscribed = resourcesOf(scope, 'AWS::SNS::Subscription')
    .map(({ resource }) => propertiesOf(subscriptionProperties, resource, scope))
    .filter(({ TopicArn, Protocol }) => TopicArn === topicArn && Protocol === 'sqs')
    .map(({ Endpoint: arn, RawMessageDelivery: isRaw }) => {
      const queue = [...scope.resources.values()].find(({ attributes }) => attributes.Arn === arn);
      if (!queue) throw new Error(`The template has no queue ${arn}.`);
      const ofQueue = { type: 'AWS::SQS::QueuePolicy', about: 'Queues', reference: queue.reference, arn };
      requireAllowed(scope, {
        ...ofQueue,
        service: 'sns.amazonaws.com',
        action: 'sqs:SendMessage',
        sourceArn: topicArn,
      });
      return { QueueUrl: queue.reference, isRaw };
    });
  return async (text) => {
    for (const { QueueUrl, isRaw } of subscribed) {
      const envelope = { Type: 'Notification', MessageId: randomUUID(), TopicArn: topicArn, Message: text };
      const MessageBody = isRaw ? text : JSON.stringify({ ...envelope, Timestamp: new Date().toISOString() });
      await queues.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    }
  };
};
