import { filesBucketVariable } from '../../shared/contract/files.ts';
import { mailVariables } from '../../shared/contract/mail-settings.ts';
import { metricsNamespace } from '../../shared/contract/metrics.ts';
import { type Need, queueUrlVariable, secretVariable } from '../../shared/contract/needs.ts';
import { fileAccesses, queuesSentTo, secretsUsed, tableAccesses } from './access.ts';
import { metricsService } from './own-metrics.ts';
import { queueNamed, type Resources, secretNamed } from './resources.ts';

/** The environment variables that a list of needs asks for, and no others. */
export const environmentFor = (needs: readonly Need[], resources: Resources): Record<string, string> => {
  const { settings, records, traffic } = resources;
  const tables = new Set(tableAccesses(needs).map(({ table }) => table));
  const hosts = settings.webhookExtraHosts.join();
  const { signIn, mail } = resources;
  return {
    // Who serves lists or the OpenAPI document makes absolute addresses of the API, who serves pages those of pages.
    ...((['cursors:sign', 'api-url:use'] as const).some((need) => needs.includes(need)) && {
      API_URL: resources.apiUrl,
    }),
    ...((['web:serve', 'app-url:use', 'mails:send', 'ses:use'] as const).some((need) => needs.includes(need)) && {
      APP_URL: resources.appUrl,
    }),
    ...(needs.includes('web:serve') && { SIGN_IN_ORIGIN: signIn.origin }),
    ...(needs.includes('web:serve') && resources.links && { LINK_URL: resources.links.url }),
    ...(needs.includes('sign-in:use') && { SIGN_IN_ISSUER: signIn.issuer, SIGN_IN_CLIENT_ID: signIn.clientId }),
    ...(needs.includes('platforms:check') && {
      CONNECTOR_PLATFORM: settings.connectorPlatform,
      CONNECT_HOSTS: settings.connectHosts.join(),
    }),
    ...(needs.includes('metrics:publish') && {
      POWERTOOLS_METRICS_NAMESPACE: metricsNamespace,
      POWERTOOLS_SERVICE_NAME: metricsService(settings),
    }),
    ...(tables.has('records') && { RECORDS_TABLE: records.tableName }),
    ...(tables.has('traffic') && { TRAFFIC_TABLE: traffic.tableName }),
    ...Object.fromEntries(
      queuesSentTo(needs).map((queue) => [queueUrlVariable(queue), queueNamed(queue, resources).queueUrl]),
    ),
    ...Object.fromEntries(
      secretsUsed(needs).map((name) => [secretVariable(name), secretNamed(name, resources).secretArn]),
    ),
    // Who asks for a mail must know whether any are sent.
    ...(mail &&
      (['mails:send', 'mail-from:use', 'ses:use'] as const).some((need) => needs.includes(need)) && {
        [mailVariables.from]: mail.identity.from,
      }),
    ...(mail &&
      needs.includes('ses:use') && {
        [mailVariables.configurationSet]: mail.configurationSet.configurationSetName,
      }),
    ...(fileAccesses(needs).length > 0 && { [filesBucketVariable]: resources.files.bucketName }),
    ...(needs.includes('access:check') && {
      RATE_LIMIT_READS: String(settings.rateLimitReads),
      RATE_LIMIT_WRITES: String(settings.rateLimitWrites),
    }),
    ...(needs.includes('health:check') && { STAGE: settings.stage }),
    ...(needs.includes('cursors:sign') && { CURSOR_KEY: resources.cursorKey.unsafeUnwrap() }),
    ...(needs.includes('forms:change') && { FORM_LIMIT: String(settings.formLimit) }),
    ...(needs.includes('webhooks:address') && hosts !== '' && { WEBHOOK_EXTRA_HOSTS: hosts }),
    ...(needs.includes('webhooks:deliver') &&
      settings.webhookRetrySeconds && { WEBHOOK_RETRY_SECONDS: settings.webhookRetrySeconds.join() }),
  };
};
