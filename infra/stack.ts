import { type App, CfnOutput, Stack } from 'aws-cdk-lib';
import { apiBasePath } from '../shared/contract/operations.ts';
import { AlarmTopic } from './constructs/alarm-topic.ts';
import { ApiGateway } from './constructs/api-gateway.ts';
import { EncryptionSecret } from './constructs/encryption-secret.ts';
import { RecordsTable } from './constructs/records-table.ts';
import { TrafficTable } from './constructs/traffic-table.ts';
import { addWorkers, addWorkQueues } from './constructs/worker-fleet.ts';
import type { Settings } from './settings.ts';

/** The whole product in one stack: tables, queues, the API and the workers behind it. */
export class AffiliateProgramStack extends Stack {
  constructor(app: App, id: string, settings: Settings) {
    super(app, id, { description: `Affiliate program API, stage ${settings.stage}` });

    const alarmTopic = settings.alarmEmail ? new AlarmTopic(this, settings.alarmEmail) : undefined;
    const records = new RecordsTable(this, settings);
    const traffic = new TrafficTable(this, settings);
    const queues = addWorkQueues(this, alarmTopic);
    const secrets = {
      'webhook-secrets': new EncryptionSecret(this, 'webhook-secrets', settings),
      'key-copies': new EncryptionSecret(this, 'key-copies', settings),
      sessions: new EncryptionSecret(this, 'sessions', settings),
    };
    const resources = { settings, records, traffic, queues, secrets, alarmTopic };
    const api = new ApiGateway(this, resources);
    const deadLetters = addWorkers(this, resources);

    const outputs = {
      ApiUrl: `${api.apiEndpoint}${apiBasePath}`,
      AppUrl: api.apiEndpoint,
      TableName: records.tableName,
      TrafficTableName: traffic.tableName,
      KeyCopiesSecretArn: secrets['key-copies'].secretArn,
      WebhookSecretsSecretArn: secrets['webhook-secrets'].secretArn,
      ...deadLetters,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
