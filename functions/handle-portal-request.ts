import { PortalRequest } from '../shared/domain/portal/portal-requests.ts';
import { receiveApplication } from '../shared/domain/portal/receive-application.ts';
import { sendSignInLink } from '../shared/domain/portal/send-sign-in-link.ts';
import { queueWorker } from '../shared/platform/queue/queue-worker.ts';

export const handler = queueWorker('handle-portal-request', PortalRequest, (request) =>
  request.kind === 'SIGN_IN' ? sendSignInLink(request, new Date()) : receiveApplication(request, new Date()),
);
