import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

/** Tells one address of every alarm. */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, email: string) {
    super(scope, 'Alarms', { enforceSSL: true });
    this.addSubscription(new EmailSubscription(email));
  }
}
