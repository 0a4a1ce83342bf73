import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, type StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

interface KeyedTableProps {
  readonly settings: Settings;
  /** How many indexes: `GSI1` is keyed by `gsi1pk` and `sk`, and so on. */
  readonly indexCount: number;
  readonly stream?: StreamViewType;
  readonly backups: boolean;
}

/** A table on demand with the keys `pk` and `sk`, an expiry in `ttl`, and indexes that carry keys only. */
export class KeyedTable extends Table {
  /** Each index by its name: a permission on `index/*` would be a wildcard. */
  readonly indexArns: readonly string[];

  constructor(scope: Construct, id: string, { settings, indexCount, stream, backups }: KeyedTableProps) {
    super(scope, id, {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: 'ttl',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: backups },
      deletionProtection: settings.deletionProtection,
      removalPolicy: settings.removalPolicy === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      ...(stream && { stream }),
    });
    const numbers = Array.from({ length: indexCount }, (_, index) => index + 1);
    for (const number of numbers) {
      this.addGlobalSecondaryIndex({
        indexName: `GSI${number}`,
        partitionKey: { name: `gsi${number}pk`, type: AttributeType.STRING },
        sortKey: { name: 'sk', type: AttributeType.STRING },
        projectionType: ProjectionType.KEYS_ONLY,
      });
    }
    this.indexArns = numbers.map((number) => `${this.tableArn}/index/GSI${number}`);
  }
}
