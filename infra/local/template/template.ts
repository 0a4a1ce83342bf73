import type * as z from 'zod';

/** Any value of a CloudFormation template. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export interface Resource {
  readonly Type: string;
  readonly Properties?: { [key: string]: Json };
  readonly Metadata?: { [key: string]: Json };
  readonly DependsOn?: string | readonly string[];
  readonly Condition?: string;
}

export interface Template {
  readonly Parameters?: { [name: string]: { Default?: Json } };
  readonly Mappings?: { [name: string]: Json };
  readonly Conditions?: { [name: string]: Json };
  readonly Resources: { [logicalId: string]: Resource };
  readonly Outputs?: { [name: string]: { Value: Json; Condition?: string } };
}

/** What a resource returns to `Ref` and to `Fn::GetAtt`. */
interface PhysicalResource {
  readonly reference: string;
  readonly attributes: { [name: string]: string };
}

/** All that intrinsic functions can ask for; `resources` fills up while the stack starts. */
export interface Scope {
  readonly template: Template;
  readonly pseudoParameters: { [name: string]: string };
  readonly resources: Map<string, PhysicalResource>;
}

/** The resources of one of these types whose condition holds. */
export function resourcesOf(scope: Scope, ...types: string[]): { logicalId: string; resource: Resource }[] {
  return Object.entries(scope.template.Resources)
    .filter(([, { Type, Condition }]) => types.includes(Type) && conditionHolds(Condition, scope))
    .map(([logicalId, resource]) => ({ logicalId, resource }));
}

/** The properties of a resource that the schema names. Others may speak of things that exist on AWS alone. */
export function propertiesOf<Schema extends z.ZodObject>(schema: Schema, resource: Resource, scope: Scope) {
  const given = Object.entries(resource.Properties ?? {}).filter(([name]) => name in schema.shape);
  return schema.parse(resolve(Object.fromEntries(given), scope));
}

/** The name a template gives to a resource, or one made of the stack's name and the logical id. */
export function nameOf(logicalId: string, given: Json | undefined, scope: Scope): string {
  if (given !== undefined) return resolveText(given, scope);
  return `${scope.pseudoParameters['AWS::StackName']}-${logicalId}`;
}

const noValue = Symbol('AWS::NoValue');
type Resolved = Json | typeof noValue;

/** Takes a template value to what CloudFormation makes of it. Throws when it names something the local stack lacks. */
export function resolve(value: Json, scope: Scope): Json {
  const resolved = resolveOrNone(value, scope);
  return resolved === noValue ? null : resolved;
}

/** Like `resolve`, for a value that must be a text (numbers and booleans become one). */
export function resolveText(value: Json, scope: Scope): string {
  const resolved = resolve(value, scope);
  if (typeof resolved === 'string') return resolved;
  if (typeof resolved === 'number' || typeof resolved === 'boolean') return String(resolved);
  throw new Error(`The template has ${JSON.stringify(value)} where a text is expected.`);
}

/** Whether the condition of that name holds; no name always holds. */
export function conditionHolds(name: string | undefined, scope: Scope): boolean {
  if (name === undefined) return true;
  const condition = scope.template.Conditions?.[name];
  if (condition === undefined) throw new Error(`The template has no condition ${name}.`);
  return evaluateCondition(condition, scope);
}

function resolveOrNone(value: Json, scope: Scope): Resolved {
  if (Array.isArray(value)) return value.map((item) => resolveOrNone(item, scope)).filter((item) => item !== noValue);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value);
  const [name, argument] = entries.length === 1 && entries[0] ? entries[0] : [];
  if (name !== undefined && argument !== undefined && (name === 'Ref' || name.startsWith('Fn::'))) {
    return intrinsic(name, argument, scope);
  }
  const resolved: { [key: string]: Json } = {};
  for (const [key, item] of entries) {
    const itemValue = resolveOrNone(item, scope);
    if (itemValue !== noValue) resolved[key] = itemValue;
  }
  return resolved;
}

function intrinsic(name: string, argument: Json, scope: Scope): Resolved {
  switch (name) {
    case 'Ref':
      return reference(String(argument), scope);
    case 'Fn::GetAtt': {
      const [logicalId = '', ...rest] = Array.isArray(argument) ? argument.map(String) : String(argument).split('.');
      return attribute(logicalId, rest.join('.'), scope);
    }
    case 'Fn::Join': {
      const [separator, items] = list(argument);
      return list(resolve(items ?? [], scope)).join(String(separator));
    }
    case 'Fn::Sub':
      return substitute(argument, scope);
    case 'Fn::Select': {
      const [index, items] = list(argument);
      return list(resolve(items ?? [], scope))[Number(resolve(index ?? 0, scope))] ?? noValue;
    }
    case 'Fn::Split': {
      const [separator, text] = list(argument);
      return resolveText(text ?? '', scope).split(String(separator));
    }
    case 'Fn::If': {
      const [condition, whenTrue, whenFalse] = list(argument);
      return resolveOrNone((conditionHolds(String(condition), scope) ? whenTrue : whenFalse) ?? null, scope);
    }
    case 'Fn::FindInMap': {
      const path = list(argument).map((key) => resolveText(key, scope));
      let found: Json | undefined = scope.template.Mappings ?? {};
      for (const key of path) found = isObject(found) ? found[key] : undefined;
      if (found === undefined) throw new Error(`The template has no mapping ${path.join(' / ')}.`);
      return found;
    }
    default:
      throw new Error(`The local stack does not know ${name}.`);
  }
}

function reference(name: string, scope: Scope): Resolved {
  if (name === 'AWS::NoValue') return noValue;
  const known = scope.pseudoParameters[name] ?? scope.resources.get(name)?.reference;
  const value = known ?? scope.template.Parameters?.[name]?.Default;
  if (value === undefined) throw new Error(`The local stack has nothing for Ref ${name}.`);
  return value;
}

function attribute(logicalId: string, name: string, scope: Scope): string {
  const value = scope.resources.get(logicalId)?.attributes[name];
  if (value === undefined) throw new Error(`The local stack has nothing for Fn::GetAtt ${logicalId}.${name}.`);
  return value;
}

function substitute(argument: Json, scope: Scope): string {
  const [text, variables] = Array.isArray(argument) ? argument : [argument, {}];
  const given = isObject(variables) ? variables : {};
  return String(text).replaceAll(/\$\{(!?)([^}]+)\}/g, (_match, literal: string, name: string) => {
    if (literal) return `\${${name}}`;
    const own = given[name];
    if (own !== undefined) return resolveText(own, scope);
    return resolveText(name.includes('.') ? { 'Fn::GetAtt': name } : { Ref: name }, scope);
  });
}

function evaluateCondition(condition: Json, scope: Scope): boolean {
  if (!isObject(condition)) throw new Error(`${JSON.stringify(condition)} is no condition.`);
  const [name, argument] = Object.entries(condition)[0] ?? [];
  const parts = list(argument ?? []);
  switch (name) {
    case 'Condition':
      return conditionHolds(String(argument), scope);
    case 'Fn::Equals':
      return resolveText(parts[0] ?? '', scope) === resolveText(parts[1] ?? '', scope);
    case 'Fn::And':
      return parts.every((part) => evaluateCondition(part, scope));
    case 'Fn::Or':
      return parts.some((part) => evaluateCondition(part, scope));
    case 'Fn::Not':
      return !parts.some((part) => evaluateCondition(part, scope));
    default:
      throw new Error(`The local stack does not know the condition ${name}.`);
  }
}

const list = (value: Json): Json[] => (Array.isArray(value) ? value : [value]);
const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
