import { AttributeType, BillingMode, ProjectionType, type StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { removalPolicyOf } from './removal-policy.ts';

interface KeyedTableProps {
  readonly settings: Settings;
  /** From 2 on it is part of the logical id: a new number makes CloudFormation create a new table. */
  readonly generation: number;
  /** The names of its indexes: `GSI1` is keyed by `gsi1pk` and `sk`, and so on. */
  readonly indexes: readonly string[];
  readonly stream?: StreamViewType;
  readonly backups: boolean;
}

/** A table on demand with the keys `pk` and `sk`, an expiry in `ttl`, and indexes that carry keys only. */
export class KeyedTable extends Table {
  readonly indexNames: readonly string[];

  constructor(scope: Construct, id: string, { settings, generation, indexes, stream, backups }: KeyedTableProps) {
    super(scope, generation === 1 ? id : `${id}${generation}`, {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: 'ttl',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: backups },
      deletionProtection: settings.deletionProtection,
      removalPolicy: removalPolicyOf(settings),
      ...(stream && { stream }),
    });
    this.indexNames = indexes;
    for (const indexName of indexes) {
      this.addGlobalSecondaryIndex({
        indexName,
        partitionKey: { name: `${indexName.toLowerCase()}pk`, type: AttributeType.STRING },
        sortKey: { name: 'sk', type: AttributeType.STRING },
        projectionType: ProjectionType.KEYS_ONLY,
      });
    }
  }

  /** One index by its name: a permission on `index/*` would be a wildcard. */
  indexArn(name: string): string {
    return `${this.tableArn}/index/${name}`;
  }
}
