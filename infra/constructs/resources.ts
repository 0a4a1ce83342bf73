import type { SecretValue } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { SecretName } from '../../shared/contract/needs.ts';
import type { Worker } from '../../shared/contract/workers.ts';
import type { FunctionCode } from '../bundle.ts';
import type { Settings } from '../settings.ts';
import type { FilesBucket } from './files-bucket.ts';
import type { GradualDeployment } from './gradual-deployment.ts';
import type { MailSending } from './mail.ts';
import type { RecordsTable } from './records-table.ts';
import type { SignIn } from './sign-in.ts';
import type { TrafficTable } from './traffic-table.ts';
import type { DeadLetterQueue, WorkQueue } from './work-queues.ts';

/** All that a function can need. */
export interface Resources {
  readonly settings: Settings;
  /** The bundle of a file in `functions/`, by its name without the ending. */
  readonly codeOf: (name: string) => FunctionCode;
  readonly records: RecordsTable;
  readonly traffic: TrafficTable;
  readonly secrets: ReadonlyMap<SecretName, Secret>;
  readonly files: FilesBucket;
  /** The addresses of the API and of the web application, and whom people sign in at. */
  readonly apiUrl: string;
  readonly appUrl: string;
  /** Where links are followed, if they have a domain of their own, and the API behind it. */
  readonly links: { readonly url: string; readonly api: HttpApi } | undefined;
  readonly signIn: SignIn;
  /** What mails are sent with; none are sent when undefined. */
  readonly mail: MailSending | undefined;
  /** Whom alarms notify; nobody when undefined. */
  readonly alarmTopic: ITopic | undefined;
  /** How new code comes into use; at once when undefined. */
  readonly gradualDeployment: GradualDeployment | undefined;
  /** Authenticates cursors. CloudFormation puts its value where the template only names the secret. */
  readonly cursorKey: SecretValue;
  readonly queues: ReadonlyMap<string, WorkQueue>;
  /** What each worker gave up on, by the worker's id. */
  readonly deadLetters: ReadonlyMap<string, DeadLetterQueue>;
}

/** The queue of that name. Fails the synthesis where no worker reads it. */
export const queueNamed = (name: string, { queues }: Pick<Resources, 'queues'>): WorkQueue => {
  const queue = queues.get(name);
  if (!queue)
    throw new Error(`No worker in shared/contract/workers.ts reads the queue '${name}', so nothing may send to it`);
  return queue;
};

/** The secret of that name. */
export const secretNamed = (name: SecretName, { secrets }: Resources): Secret => {
  const secret = secrets.get(name);
  if (!secret) throw new Error(`There is no secret '${name}'`);
  return secret;
};

/** The dead letters of a worker. */
export const deadLettersOf = ({ id }: Worker, { deadLetters }: Resources): DeadLetterQueue => {
  const queue = deadLetters.get(id);
  if (!queue) throw new Error(`The worker '${id}' has no dead-letter queue`);
  return queue;
};
