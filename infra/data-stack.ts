import { type App, type SecretValue, Stack } from 'aws-cdk-lib';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { SecretName } from '../shared/contract/needs.ts';
import { acknowledgeRules } from './constructs/acknowledged-rules.ts';
import { addCursorKey, addEncryptionKeys } from './constructs/encryption-keys.ts';
import { FilesBucket } from './constructs/files-bucket.ts';
import { MailIdentity } from './constructs/mail.ts';
import { RecordsTable } from './constructs/records-table.ts';
import { People } from './constructs/sign-in.ts';
import { TrafficTable } from './constructs/traffic-table.ts';
import type { Settings } from './settings.ts';

/** What holds state: tables, files, secrets, people. Nothing in it depends on the service, which can be deleted and deployed anew. */
export class DataStack extends Stack {
  readonly records: RecordsTable;
  readonly traffic: TrafficTable;
  readonly files: FilesBucket;
  readonly secrets: ReadonlyMap<SecretName, Secret>;
  readonly cursorKey: SecretValue;
  readonly people: People;
  /** Undefined where the stage sends no mails. */
  readonly mail: MailIdentity | undefined;

  constructor(app: App, id: string, settings: Settings) {
    super(app, id, {
      description: `Affiliate program API, stage ${settings.stage}: its data`,
      terminationProtection: settings.deletionProtection,
    });
    this.records = new RecordsTable(this, settings);
    this.traffic = new TrafficTable(this, settings);
    this.files = new FilesBucket(this, settings);
    this.secrets = addEncryptionKeys(this, settings);
    this.cursorKey = addCursorKey(this, settings);
    this.people = new People(this, settings);
    this.mail = settings.mailFrom ? new MailIdentity(this, settings.mailFrom, settings) : undefined;
    acknowledgeRules(this);
  }
}
