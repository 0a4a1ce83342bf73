import type { Condition, Statement } from './policy.ts';

/** What a caller wants to do. */
export interface AccessRequest {
  /** Such as `dynamodb:PutItem`. */
  readonly action: string;
  /** The ARN of what it is done to. */
  readonly resource: string;
  /** Who calls, such as `Service:cloudwatch.amazonaws.com`. Only statements with principals of their own look at it. */
  readonly principal?: string;
  /** The condition keys of the request, such as `aws:SecureTransport`. A key that is absent has no value at all. */
  readonly context: AccessContext;
}

export type AccessContext = { readonly [key: string]: string | readonly string[] | undefined };

export interface Decision {
  readonly outcome: 'ALLOWED' | 'EXPLICIT_DENY' | 'IMPLICIT_DENY';
  /** The statement that decided; none where no statement allows the request. */
  readonly statement: Statement | undefined;
}

/** Evaluates policies as IAM does: a matching Deny wins, then a matching Allow; without either the request is refused. */
export function evaluate(statements: readonly Statement[], request: AccessRequest): Decision {
  let allowedBy: Statement | undefined;
  for (const statement of statements) {
    // Once something allows, only a Deny can still change the outcome.
    if (allowedBy && statement.effect === 'Allow') continue;
    if (!isAbout(statement, request) || !conditionsHold(statement, request.context)) continue;
    if (statement.effect === 'Deny') return { outcome: 'EXPLICIT_DENY', statement };
    allowedBy = statement;
  }
  return { outcome: allowedBy ? 'ALLOWED' : 'IMPLICIT_DENY', statement: allowedBy };
}

/** Whether a statement names the request's action, resource and principal, whatever its conditions say. */
export function isAbout(statement: Statement, { action, resource, principal }: AccessRequest): boolean {
  const { actions, notActions, resources, notResources, principals } = statement;
  return (
    isNamed(actions, notActions, (pattern) => isLike(pattern.toLowerCase(), action.toLowerCase())) &&
    isNamed(resources, notResources, (pattern) => isLike(pattern, resource)) &&
    (principals.length === 0 || principals.some((pattern) => meansPrincipal(pattern, principal)))
  );
}

function isNamed(
  patterns: readonly string[],
  excluded: readonly string[],
  matches: (pattern: string) => boolean,
): boolean {
  if (excluded.length > 0) return !excluded.some(matches);
  return patterns.some(matches);
}

function meansPrincipal(pattern: string, principal: string | undefined): boolean {
  return pattern === 'AWS:*' || pattern === principal;
}

function conditionsHold({ conditions }: Statement, context: AccessContext): boolean {
  return conditions.every((condition) => conditionHolds(condition, context));
}

/** Whether one condition holds. Throws at an operator that this evaluator does not know. */
function conditionHolds({ operator, key, values }: Condition, context: AccessContext): boolean {
  const [, set, name = '', ifExists] = /^(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?$/.exec(operator) ?? [];
  const actual = valuesOf(key, context);
  if (name === 'Null') return values.includes(String(actual === undefined));
  const comparison = comparisons[name];
  if (!comparison) throw new Error(`The local stack does not know the condition operator ${operator}.`);
  if (actual === undefined && ifExists) return true;
  const holds = (value: string) =>
    values.some((expected) => comparison.matches(expected, value)) !== comparison.negated;
  // Over no value at all, "for all" is true and "for any" is false, as IAM has it.
  if (set === 'ForAllValues') return (actual ?? []).every(holds);
  if (set === 'ForAnyValue') return (actual ?? []).some(holds);
  if (actual === undefined) return comparison.negated;
  return actual.every(holds);
}

function valuesOf(key: string, context: AccessContext): readonly string[] | undefined {
  // The names of condition keys are case-insensitive.
  const name = key in context ? key : Object.keys(context).find((known) => known.toLowerCase() === key.toLowerCase());
  const value = name === undefined ? undefined : context[name];
  return typeof value === 'string' ? [value] : value;
}

interface Comparison {
  readonly negated: boolean;
  readonly matches: (expected: string, actual: string) => boolean;
}

const equal = (expected: string, actual: string): boolean => expected === actual;
const equalIgnoringCase = (expected: string, actual: string): boolean =>
  expected.toLowerCase() === actual.toLowerCase();
const arnLike = (expected: string, actual: string): boolean => {
  const parts = (arn: string) => arn.split(/:(.*?):(.*?):(.*?):(.*?):(.*)/s);
  const [wanted, given] = [parts(expected), parts(actual)];
  return wanted.length === given.length && wanted.every((part, index) => isLike(part, given[index] ?? ''));
};
const both = (name: string, matches: Comparison['matches']): [string, Comparison][] => [
  [name, { matches, negated: false }],
  [name.replace(/^(String|Arn|Numeric)/, '$1Not'), { matches, negated: true }],
];

const comparisons: { readonly [name: string]: Comparison | undefined } = Object.fromEntries([
  ...both('StringEquals', equal),
  ...both('StringEqualsIgnoreCase', equalIgnoringCase),
  ...both('StringLike', isLike),
  ...both('ArnEquals', arnLike),
  ...both('ArnLike', arnLike),
  ...both('NumericEquals', (expected, actual) => Number(expected) === Number(actual)),
  ['NumericLessThan', { matches: (expected, actual) => Number(actual) < Number(expected), negated: false }],
  ['NumericLessThanEquals', { matches: (expected, actual) => Number(actual) <= Number(expected), negated: false }],
  ['NumericGreaterThan', { matches: (expected, actual) => Number(actual) > Number(expected), negated: false }],
  ['NumericGreaterThanEquals', { matches: (expected, actual) => Number(actual) >= Number(expected), negated: false }],
  ['Bool', { matches: equalIgnoringCase, negated: false }],
]);

const compiled = new Map<string, RegExp>();

/** Whether a text fits a pattern, in which `*` stands for any characters and `?` for any one of them. */
export function isLike(pattern: string, text: string): boolean {
  if (pattern === '*' || pattern === text) return true;
  let expression = compiled.get(pattern);
  if (!expression) {
    const source = pattern
      .replaceAll(/[\\^$.|+()[\]{}]/g, '\\$&')
      .replaceAll('*', '[^]*')
      .replaceAll('?', '[^]');
    expression = new RegExp(`^${source}$`, 'u');
    compiled.set(pattern, expression);
  }
  return expression.test(text);
}
