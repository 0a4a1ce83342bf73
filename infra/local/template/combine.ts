import type { Json, Resource, Template } from './template.ts';

/** A template, and where what it does not hold itself is found. */
export interface Part {
  readonly template: Template;
  /** Nested stacks by their logical ids. */
  readonly nested: ReadonlyMap<string, Part>;
}

interface Context extends Part {
  /** What the stack around it gives to its parameters, and that stack. */
  readonly given: { readonly values: { readonly [name: string]: Json }; readonly by: Context } | undefined;
  readonly nested: ReadonlyMap<string, Context>;
  readonly stacks: ReadonlyMap<string, Context>;
}

const nestedType = 'AWS::CloudFormation::Stack';

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const contextOf = (
  { template, nested }: Part,
  stacks: ReadonlyMap<string, Context>,
  given?: Context['given'],
): Context => {
  const parts = new Map<string, Context>();
  const context: Context = { template, nested: parts, stacks, given };
  for (const [logicalId, part] of nested) {
    const values = template.Resources[logicalId]?.Properties?.Parameters;
    parts.set(logicalId, contextOf(part, stacks, { values: isObject(values) ? values : {}, by: context }));
  }
  return context;
};

const outputOf = (context: Context | undefined, name: string): Json => {
  const output = context?.template.Outputs?.[name];
  if (!context || !output) throw new Error(`No stack of the cloud assembly has the output ${name}.`);
  return substituted(output.Value, context);
};

/** What an intrinsic function that leaves its own template stands for; undefined for all others. */
const acrossStacks = (name: string, argument: Json, context: Context): Json | undefined => {
  if (name === 'Ref') {
    const value = context.given?.values[String(argument)];
    return context.given && value !== undefined ? substituted(value, context.given.by) : undefined;
  }
  if (name === 'Fn::GetAtt' && Array.isArray(argument)) {
    const nested = context.nested.get(String(argument[0]));
    return nested && outputOf(nested, String(argument[1]).replace(/^Outputs\./, ''));
  }
  if (name === 'Fn::GetStackOutput' && isObject(argument))
    return outputOf(context.stacks.get(String(argument.StackName)), String(argument.OutputName));
  return undefined;
};

/** A value in which references to other stacks are replaced by what they lead to. */
const substituted = (value: Json, context: Context): Json => {
  if (Array.isArray(value)) return value.map((item) => substituted(item, context));
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  const [name, argument] = entries.length === 1 && entries[0] ? entries[0] : [];
  const found = name !== undefined && argument !== undefined ? acrossStacks(name, argument, context) : undefined;
  return found ?? Object.fromEntries(entries.map(([key, item]) => [key, substituted(item, context)]));
};

/** Every resource but the nested stacks, whose own resources are in their place. */
const resourcesOf = (context: Context): [string, Resource][] => [
  ...Object.entries(context.template.Resources)
    .filter(([, { Type }]) => Type !== nestedType)
    .map(([logicalId, { Properties, DependsOn, ...rest }]): [string, Resource] => {
      const waitsFor = [DependsOn ?? []].flat().filter((id) => !context.nested.has(id));
      return [
        logicalId,
        {
          ...rest,
          ...(waitsFor.length > 0 && { DependsOn: waitsFor }),
          ...(Properties && { Properties: substituted(Properties, context) as { [key: string]: Json } }),
        },
      ];
    }),
  ...[...context.nested.values()].flatMap(resourcesOf),
];

const withoutRepetition = (entries: readonly [string, Resource][]): { [logicalId: string]: Resource } => {
  const seen = new Set<string>();
  for (const [logicalId] of entries) {
    if (seen.has(logicalId)) throw new Error(`Two stacks of the cloud assembly have a resource ${logicalId}.`);
    seen.add(logicalId);
  }
  return Object.fromEntries(entries);
};

/**
 * One template of several stacks and of the stacks that are nested in them, as if all had been written into one: references
 * between them become references within it. Its outputs are those of `main`. Throws where two stacks have a resource of
 * the same logical id.
 */
export const combine = (parts: ReadonlyMap<string, Part>, main: string): Template => {
  const stacks = new Map<string, Context>();
  for (const [name, part] of parts) stacks.set(name, contextOf(part, stacks));
  const all = [...stacks.values()];
  const context = stacks.get(main);
  if (!context) throw new Error(`The cloud assembly has no stack ${main}.`);
  return {
    Parameters: Object.assign({}, ...all.map(({ template }) => template.Parameters ?? {})),
    Mappings: Object.assign({}, ...all.map(({ template }) => template.Mappings ?? {})),
    Conditions: Object.assign({}, ...all.map(({ template }) => template.Conditions ?? {})),
    Resources: withoutRepetition(all.flatMap(resourcesOf)),
    Outputs: substituted((context.template.Outputs ?? {}) as Json, context) as NonNullable<Template['Outputs']>,
  };
};
