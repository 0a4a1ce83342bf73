import { evaluate } from './evaluate.ts';
import type { Statement } from './policy.ts';

const queueActions = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];
const streamActions = ['GetRecords', 'GetShardIterator', 'DescribeStream', 'ListStreams'];

/**
 * Checks that a function's role allows what Lambda does in its name for an event source mapping: it reads the source,
 * and sends what failed to the destination. Throws what Lambda returns when such a mapping is created.
 */
export function requireMappingAccess(
  statements: readonly Statement[],
  sourceArn: string,
  failureDestination: string | undefined,
): void {
  const allows = (action: string, resource: string) =>
    evaluate(statements, { action, resource, context: {} }).outcome === 'ALLOWED';
  if (sourceArn.includes(':sqs:')) {
    const missing = queueActions.find((action) => !allows(`sqs:${action}`, sourceArn));
    if (missing) throw new Error(`The provided execution role does not have permissions to call ${missing} on SQS`);
  } else if (!streamActions.every((action) => allows(`dynamodb:${action}`, sourceArn))) {
    throw new Error(
      `Cannot access stream ${sourceArn}. Please ensure the role can perform the GetRecords, GetShardIterator, ` +
        'DescribeStream, and ListStreams Actions on your stream in IAM.',
    );
  }
  if (failureDestination !== undefined && !allows('sqs:SendMessage', failureDestination))
    throw new Error('The provided execution role does not have permissions to call SendMessage on SQS');
}
