import * as z from 'zod';
import { version } from '../../../shared/http/version.at-build.ts';
import { stackNameOf } from '../../stack-name.ts';
import { required } from '../../stack-variables.ts';
import { type Check, findingsOf } from './finding.ts';

const timeoutMilliseconds = 35_000;

const get = (address: string): Promise<Response> =>
  fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMilliseconds) });

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
};

const Health = z.object({ version: z.string(), stage: z.string() });

/** Whether the API responds, and with which version. */
export const checkApi: Check = async ({ outputs, stackName }) => {
  const { problem, warning } = findingsOf('api');
  const address = `${required(outputs, 'ApiUrl')}/health`;
  try {
    const response = await get(address);
    if (response.status !== 200)
      return [problem(`${address} returns ${response.status}.`, 'docs/runbook.md, section "Server errors"')];
    const health = Health.parse(await response.json());
    const isOther = stackName !== undefined && stackName !== stackNameOf(health.stage);
    return [
      ...(health.version === version
        ? []
        : [
            warning(
              `The deployed version is ${health.version}, and this folder has ${version}.`,
              'Check out the deployed version.',
            ),
          ]),
      ...(isOther ? [problem(`${address} belongs to stage ${health.stage}.`, 'Check the DNS records.')] : []),
    ];
  } catch (error) {
    return [problem(`${address} cannot be reached: ${reasonOf(error)}`, 'Check the domain and its certificate.')];
  }
};

/** Whether the web application and the sign-in pages respond. */
export const checkSignIn: Check = async ({ outputs }) => {
  const { problem } = findingsOf('sign-in');
  const address = `${required(outputs, 'AppUrl')}/sign-in`;
  try {
    const response = await get(address);
    const next = response.headers.get('location');
    if (!next) return [problem(`${address} returns ${response.status}.`, 'docs/runbook.md, section "Server errors"')];
    const page = await get(next);
    if (page.status < 400) return [];
    const host = new URL(next).host;
    return [problem(`The sign-in pages at ${host} return ${page.status}.`, 'Check the user pool in Cognito.')];
  } catch (error) {
    return [problem(`${address} or the sign-in pages cannot be reached: ${reasonOf(error)}`, 'Check the domain.')];
  }
};
