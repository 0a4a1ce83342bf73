import { Stack } from 'aws-cdk-lib';
import { CfnRecordSet } from 'aws-cdk-lib/aws-route53';
import {
  ConfigurationSet,
  EmailIdentity,
  EmailSendingEvent,
  EventDestination,
  Identity,
  SuppressionReasons,
} from 'aws-cdk-lib/aws-ses';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { removalPolicyOf } from './removal-policy.ts';

/** The domain that mails come from, with DKIM: proved to SES, so it is kept with the data. */
export class MailIdentity extends Construct {
  /** The address that mails come from. */
  readonly from: string;
  readonly arn: string;
  /** Stack outputs: the records of DKIM, where nobody else makes them. */
  readonly dnsRecords: Readonly<Record<string, string>>;

  constructor(scope: Construct, from: string, settings: Settings) {
    super(scope, 'Mail');
    const domain = from.slice(from.indexOf('@') + 1);
    const { identity: wanted = 'create', hostedZone } = settings.mailDomain ?? {};
    this.from = from;
    if (wanted === 'exists') {
      this.arn = Stack.of(this).formatArn({ service: 'ses', resource: 'identity', resourceName: domain });
      this.dnsRecords = {};
      return;
    }
    const identity = new EmailIdentity(this, 'Identity', { identity: Identity.domain(domain) });
    identity.applyRemovalPolicy(removalPolicyOf(settings));
    this.arn = identity.emailIdentityArn;
    const records = identity.dkimRecords.map(({ name, value }, at) => ({ id: `Dkim${at + 1}`, name, value }));
    if (hostedZone)
      for (const { id, name, value } of records)
        new CfnRecordSet(this, id, {
          hostedZoneId: hostedZone.id,
          name,
          type: 'CNAME',
          resourceRecords: [value],
          ttl: '1800',
        });
    this.dnsRecords = hostedZone
      ? {}
      : Object.fromEntries(records.map(({ id, name, value }) => [`Mail${id}`, `${name} CNAME ${value}`]));
  }
}

/** What mails are sent with, and how SES says what became of them: a message in the queue of `mail-feedback`. */
export class MailSending extends Construct {
  readonly identity: MailIdentity;
  readonly configurationSet: ConfigurationSet;

  constructor(scope: Construct, { identity, feedback }: { identity: MailIdentity; feedback: Queue }) {
    super(scope, 'MailSending');
    this.identity = identity;
    // SES keeps a list of its own too, which outlives the tables.
    this.configurationSet = new ConfigurationSet(this, 'Set', {
      suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
    });
    const topic = new Topic(this, 'Feedback', { enforceSSL: true });
    topic.addSubscription(new SqsSubscription(feedback, { rawMessageDelivery: true }));
    this.configurationSet.addEventDestination('Feedback', {
      destination: EventDestination.snsTopic(topic),
      events: [EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT],
    });
  }

  get configurationSetArn(): string {
    const resourceName = this.configurationSet.configurationSetName;
    return Stack.of(this).formatArn({ service: 'ses', resource: 'configuration-set', resourceName });
  }
}
