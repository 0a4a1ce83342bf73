import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { dataStackNameOf, stageOf } from '../../stack-name.ts';
import { stages } from '../../stages.ts';
import { type Check, type Finding, findingsOf } from './finding.ts';

/**
 * The physical ids of a deployed stack's resources of one type, those of nested stacks too. Their names would not tell to which
 * stack they belong: AWS shortens them.
 */
export const physicalIdsOf = async (stackName: string | undefined, type: string): Promise<Set<string>> => {
  const client = new CloudFormationClient({});
  const pages = await Array.fromAsync(paginateListStackResources({ client }, { StackName: stackName }));
  const resources = pages.flatMap(({ StackResourceSummaries = [] }) => StackResourceSummaries);
  const idsOf = (wanted: string): string[] =>
    resources.flatMap(({ ResourceType, PhysicalResourceId: id }) => (ResourceType === wanted && id ? [id] : []));
  const nested = await Promise.all(idsOf('AWS::CloudFormation::Stack').map((id) => physicalIdsOf(id, type)));
  return new Set([...idsOf(type), ...nested.flatMap((ids) => [...ids])]);
};

const completed = new Set<string | undefined>(['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'IMPORT_COMPLETE']);
const where = 'Read the events of the stack in CloudFormation';

/** Problems of the state that a stack's last deployment left, and of its protection. */
export const deploymentFindings = (
  { StackName: name, StackStatus: status, EnableTerminationProtection }: Partial<Stack>,
  isProtected: boolean,
): Finding[] => {
  const { problem, warning } = findingsOf('deployment');
  const found: Finding[] = [];
  if (status === 'UPDATE_ROLLBACK_COMPLETE')
    found.push(problem(`The last deployment of ${name} was rolled back.`, `${where}, and deploy again.`));
  else if (!completed.has(status)) found.push(problem(`The stack ${name} is in the state ${status}.`, `${where}.`));
  if (isProtected && !EnableTerminationProtection)
    found.push(warning(`Termination protection is disabled for ${name}: one command deletes it.`, 'Deploy it again.'));
  return found;
};

/** Whether the last deployments of the service and of its data succeeded. */
export const checkDeployment: Check = async ({ stackName = '' }) => {
  const client = new CloudFormationClient({});
  const dataStackName = dataStackNameOf(stackName);
  const found = await Promise.all(
    [stackName, dataStackName].map(async (name) => {
      const { Stacks: [stack = {}] = [] } = await client.send(new DescribeStacksCommand({ StackName: name }));
      const isProtected = name === dataStackName && stages[stageOf(stackName)]?.deletionProtection === true;
      return deploymentFindings({ ...stack, StackName: name }, isProtected);
    }),
  );
  return found.flat();
};
