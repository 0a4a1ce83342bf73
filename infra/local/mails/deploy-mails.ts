import type { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { accountId, region } from '../account.ts';
import { nameOf, propertiesOf, resourcesOf, type Scope } from '../template/template.ts';
import { deployTopics, openTopic, type Publish } from './feedback.ts';

const identityProperties = z.object({ EmailIdentity: z.string() });
const destinationProperties = z.object({
  ConfigurationSetName: z.string(),
  EventDestination: z.strictObject({
    Enabled: z.coerce.boolean().default(true),
    MatchingEventTypes: z.array(z.string()),
    SnsDestination: z.strictObject({ TopicARN: z.string() }),
    Name: z.string().optional(),
  }),
});

interface EventDestination {
  readonly events: readonly string[];
  readonly publish: Publish;
}

/** What may send, and who is told of it. */
export interface Sending {
  /** Domains that may send; here, each that the template has is verified. */
  readonly domains: readonly string[];
  /** The event destinations of each configuration set. */
  readonly configurationSets: ReadonlyMap<string, readonly EventDestination[]>;
}

const arnOf = (kind: string, name: string): string => `arn:aws:ses:${region}:${accountId}:${kind}/${name}`;

/** Tells `scope` what the identities, configuration sets and topics of the template are called. */
export const deploySending = (scope: Scope): void => {
  deployTopics(scope);
  for (const { logicalId, resource } of resourcesOf(scope, 'AWS::SES::EmailIdentity')) {
    const { EmailIdentity: reference } = propertiesOf(identityProperties, resource, scope);
    if (reference.includes('@')) throw new Error(`The local stack runs identities of domains only, not ${reference}.`);
    const tokens = [1, 2, 3].flatMap((at) => [
      [`DkimDNSTokenName${at}`, `token${at}._domainkey.${reference}`],
      [`DkimDNSTokenValue${at}`, `token${at}.dkim.amazonses.com`],
    ]);
    scope.resources.set(logicalId, { reference, attributes: Object.fromEntries(tokens) });
  }
  for (const { logicalId, resource } of resourcesOf(scope, 'AWS::SES::ConfigurationSet'))
    scope.resources.set(logicalId, { reference: nameOf(logicalId, resource.Properties?.Name, scope), attributes: {} });
};

/** Called when topics and queues are deployed. Throws where a policy does not allow what feedback takes. */
export const openSending = (scope: Scope, queues: SQSClient): Sending => {
  const domains = resourcesOf(scope, 'AWS::SES::EmailIdentity').map(
    ({ logicalId }) => scope.resources.get(logicalId)?.reference ?? '',
  );
  const sets = resourcesOf(scope, 'AWS::SES::ConfigurationSet').map(
    ({ logicalId }) => scope.resources.get(logicalId)?.reference ?? '',
  );
  const destinations = resourcesOf(scope, 'AWS::SES::ConfigurationSetEventDestination').map(({ resource }) => {
    const { ConfigurationSetName: set, EventDestination } = propertiesOf(destinationProperties, resource, scope);
    const { MatchingEventTypes: events, SnsDestination, Enabled } = EventDestination;
    const sourceArn = arnOf('configuration-set', set);
    const topic = { topicArn: SnsDestination.TopicARN, service: 'ses.amazonaws.com', sourceArn, queues };
    return { set, events: Enabled ? events : [], publish: openTopic(scope, topic) };
  });
  return {
    domains,
    configurationSets: new Map(sets.map((name) => [name, destinations.filter(({ set }) => set === name)])),
  };
};

/** As SES does when an event destination is made, with a text that is no JSON. */
export const validateDestinations = async ({ configurationSets }: Sending): Promise<void> => {
  for (const { publish } of [...configurationSets.values()].flat())
    await publish('Successfully validated SNS topic for Amazon SES event publishing.');
};
