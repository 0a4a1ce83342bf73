import type { Template } from 'aws-cdk-lib/assertions';

type Properties = Readonly<Record<string, unknown>>;

/** The properties of one resource. Throws if the template has none of that type with that logical id. */
export const resource = (template: Template, type: string, logicalId: string | undefined): Properties => {
  const found = template.findResources(type)[logicalId ?? ''];
  if (!found) throw new Error(`The template has no ${type} ${logicalId}`);
  return found.Properties;
};

/** The properties of all resources of a type, by logical id. */
export const resources = (template: Template, type: string): [id: string, properties: Properties][] =>
  Object.entries(template.findResources(type)).map(([id, { Properties }]) => [id, Properties]);

/** The logical id that a `Ref` or `Fn::GetAtt` names. */
export const idOf = (reference: unknown): string => {
  const { Ref: ref, 'Fn::GetAtt': attribute } = reference as { Ref?: string; 'Fn::GetAtt'?: string[] };
  return ref ?? attribute?.[0] ?? '';
};

/** A text of the template with `<Records>` or `<Api.ApiEndpoint>` for what CloudFormation puts there: no hash in a logical id. */
export const readable = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return String(value);
  const [[name, argument] = ['', undefined]] = Object.entries(value);
  if (name === 'Fn::Join') return argument[1].map(readable).join(argument[0]);
  const [id, ...attribute] = [argument].flat().map((part) => String(part).replace(/[0-9A-F]{8}$/, ''));
  return `<${[id, ...attribute].join('.')}>`;
};
