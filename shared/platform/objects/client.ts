import { S3Client } from '@aws-sdk/client-s3';
import { holdBackUntilAdmitted } from '../clients/admission.ts';
import { waitForConnection } from '../clients/connections.ts';
import { requestHandler } from '../clients/request-handler.ts';

export const objects = new S3Client({ maxAttempts: 5, requestHandler });

const reads = new Set(['GetObjectCommand', 'HeadObjectCommand']);
holdBackUntilAdmitted(objects.middlewareStack, (command) => reads.has(command));
waitForConnection(objects.middlewareStack);
