import { type App, CfnOutput, CrossStackReferences, ReferenceStrength, Stack } from 'aws-cdk-lib';
import { apiBasePath } from '../shared/contract/base-paths.ts';
import { secretNames } from '../shared/contract/needs.ts';
import { deployedCode, type FunctionCode } from './bundle.ts';
import { refuseExcessReservations } from './concurrency.ts';
import { acknowledgeRules } from './constructs/acknowledged-rules.ts';
import { AlarmTopic } from './constructs/alarm-topic.ts';
import { ApiGateway } from './constructs/api-gateway.ts';
import { addDomains } from './constructs/domains.ts';
import { GradualDeployment } from './constructs/gradual-deployment.ts';
import { MailSending } from './constructs/mail.ts';
import { queueNamed, type Resources, secretNamed } from './constructs/resources.ts';
import { ServiceAlarms } from './constructs/service-alarms.ts';
import { ServiceDashboard } from './constructs/service-dashboard.ts';
import { SignIn } from './constructs/sign-in.ts';
import { addSurfaces } from './constructs/surface.ts';
import { requireTlsOfQueues } from './constructs/tls-only.ts';
import { addQueues } from './constructs/work-queues.ts';
import { Workers } from './constructs/workers.ts';
import { DataStack } from './data-stack.ts';
import type { Settings } from './settings.ts';
import { dataStackNameOf } from './stack-name.ts';
import { secretOutput } from './stack-variables.ts';
import { stages } from './stages.ts';

/** What the service does: the API, its functions and workers, queues and alarms. It keeps its state in a stack of its own. */
export class ServiceStack extends Stack {
  readonly data: DataStack;

  constructor(app: App, id: string, settings: Settings, codeOf: (name: string) => FunctionCode = deployedCode) {
    super(app, id, { description: `Affiliate program API, stage ${settings.stage}` });
    refuseExcessReservations(settings, stages);
    // Strong ones would keep the stack of the data from replacing a lost table: CloudFormation deletes no export in use.
    CrossStackReferences.of(this).consume(ReferenceStrength.WEAK);

    this.data = new DataStack(app, dataStackNameOf(id), settings);
    const { records, traffic, files, secrets, cursorKey, people, mail: identity } = this.data;
    const tables = [records, traffic];
    const alarmTopic = settings.alarmEmail ? new AlarmTopic(this, settings.alarmEmail) : undefined;
    const { queues, deadLetters, outputs: queueOutputs } = addQueues(this, alarmTopic);
    const api = new ApiGateway(this, settings);
    new ServiceAlarms(this, { settings, api, tables, alarmTopic });
    const { apiUrl, appUrl, links, dnsTargets } = addDomains(this, settings, api);
    const mail = identity && new MailSending(this, { identity, feedback: queueNamed('mail-feedback', { queues }) });
    const resources: Resources = {
      settings,
      codeOf,
      records,
      traffic,
      files,
      queues,
      deadLetters,
      secrets,
      cursorKey,
      signIn: new SignIn(this, { people, appUrl }),
      mail,
      alarmTopic,
      gradualDeployment: settings.gradualDeployment ? new GradualDeployment(this) : undefined,
      apiUrl,
      appUrl,
      links,
    };
    addSurfaces(this, api, resources);
    new Workers(this, resources);
    requireTlsOfQueues(this);
    acknowledgeRules(this);
    new ServiceDashboard(this, { settings, api, accessLogs: api.accessLogs, tables, queues });

    const outputs = {
      ApiUrl: `${apiUrl}${apiBasePath}`,
      AppUrl: appUrl,
      ...dnsTargets,
      ...identity?.dnsRecords,
      TableName: records.tableName,
      TrafficTableName: traffic.tableName,
      UserPoolId: people.userPoolId,
      FilesBucketName: files.bucketName,
      // For what runs beside the functions: the operator's command line makes keys, and the tests make endpoints too.
      ...Object.fromEntries(secretNames.map((name) => [secretOutput(name), secretNamed(name, resources).secretArn])),
      ...queueOutputs,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
