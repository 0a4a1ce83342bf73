import { Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** The rules of cdk-nag that this stack does not follow, each with the reason. `npm run check:templates` checks the others. */
const acknowledged: Readonly<Record<string, string>> = {
  APIG4:
    'The functions authenticate: API keys and sessions are checked with the rate limit, in one write to the table.',
  COG1: 'Passwords have at least 12 characters. Rules about kinds of characters make them easier to guess (NIST 800-63B).',
  COG2: 'People choose whether they use a second factor.',
  COG8: 'The Plus plan costs several times as much per person. An operator who wants it can choose it.',
  'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]':
    'CodeDeploy gets the policy that AWS maintains for deployments of functions.',
  S1: 'Files live for 7 days. An operator who wants to know who read one can log data events with CloudTrail.',
  SMG4: 'What the secrets encrypt must be encrypted again, which only the operator can begin (admin secrets rotate).',
  SQS3: 'These queues are dead-letter queues, of event source mappings and not of queues.',
};

/** Tells cdk-nag what is on purpose. */
export const acknowledgeRules = (stack: Construct): void => {
  for (const [rule, reason] of Object.entries(acknowledged))
    Validations.of(stack).acknowledge({ id: `AwsSolutions::AwsSolutions-${rule}`, reason });
};
