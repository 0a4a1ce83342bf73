import { type App, CfnOutput, Stack } from 'aws-cdk-lib';
import { apiBasePath } from '../shared/contract/base-paths.ts';
import { deployedCode, type FunctionCode } from './bundle.ts';
import { refuseExcessReservations } from './concurrency.ts';
import { acknowledgeRules } from './constructs/acknowledged-rules.ts';
import { AlarmTopic } from './constructs/alarm-topic.ts';
import { ApiGateway } from './constructs/api-gateway.ts';
import { addDomains } from './constructs/domains.ts';
import { addCursorKey, addEncryptionKeys } from './constructs/encryption-keys.ts';
import { GradualDeployment } from './constructs/gradual-deployment.ts';
import { RecordsTable } from './constructs/records-table.ts';
import { secretNamed } from './constructs/resources.ts';
import { ServiceAlarms } from './constructs/service-alarms.ts';
import { ServiceDashboard } from './constructs/service-dashboard.ts';
import { SignIn } from './constructs/sign-in.ts';
import { requireTlsOfQueues } from './constructs/tls-only.ts';
import { TrafficTable } from './constructs/traffic-table.ts';
import { addWorkers, addWorkQueues } from './constructs/worker-fleet.ts';
import type { Settings } from './settings.ts';
import { stages } from './stages.ts';

/** The whole product in one stack: tables, queues, the API and the workers behind it. */
export class AffiliateProgramStack extends Stack {
  constructor(app: App, id: string, settings: Settings, codeOf: (name: string) => FunctionCode = deployedCode) {
    super(app, id, { description: `Affiliate program API, stage ${settings.stage}` });
    refuseExcessReservations(settings, stages);

    const alarmTopic = settings.alarmEmail ? new AlarmTopic(this, settings.alarmEmail) : undefined;
    const records = new RecordsTable(this, settings);
    const traffic = new TrafficTable(this, settings);
    const tables = [records, traffic];
    const queues = addWorkQueues(this, alarmTopic);
    const api = new ApiGateway(this, settings);
    new ServiceAlarms(this, { settings, api, tables, alarmTopic });
    const gradualDeployment = settings.gradualDeployment ? new GradualDeployment(this) : undefined;
    const { apiUrl, appUrl, dnsTargets } = addDomains(this, settings, api);
    const signIn = new SignIn(this, { settings, appUrl });
    const secrets = addEncryptionKeys(this, settings);
    const cursorKey = addCursorKey(this, settings);
    const shared = {
      settings,
      codeOf,
      records,
      traffic,
      queues,
      secrets,
      cursorKey,
      signIn,
      alarmTopic,
      gradualDeployment,
    };
    const resources = { ...shared, apiUrl, appUrl };
    api.serve(resources);
    const workerQueues = addWorkers(this, resources);
    gradualDeployment?.watch(alarmTopic);
    requireTlsOfQueues(this);
    acknowledgeRules(this);
    new ServiceDashboard(this, { settings, api, accessLogs: api.accessLogs, tables, queues });

    const outputs = {
      ApiUrl: `${apiUrl}${apiBasePath}`,
      AppUrl: appUrl,
      ...dnsTargets,
      TableName: records.tableName,
      TrafficTableName: traffic.tableName,
      UserPoolId: signIn.userPoolId,
      // For what runs beside the functions: the operator's command line makes keys, and the tests make endpoints too.
      KeyCopiesSecretArn: secretNamed('key-copies', resources).secretArn,
      SessionsSecretArn: secretNamed('sessions', resources).secretArn,
      WebhookSecretsSecretArn: secretNamed('webhook-secrets', resources).secretArn,
      ...workerQueues,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
