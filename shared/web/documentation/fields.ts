import * as z from 'zod';

export interface Field {
  name: string;
  type: string;
  isRequired: boolean;
  description: string;
}

const Schema = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.union([z.string(), z.number(), z.null()])).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  maxItems: z.number().optional(),
  required: z.array(z.string()).default([]),
  get properties() {
    return z.record(z.string(), Schema).optional();
  },
  get items() {
    return Schema.optional();
  },
  get anyOf() {
    return z.array(Schema).optional();
  },
  get $defs() {
    return z.record(z.string(), Schema).optional();
  },
});
type Schema = z.output<typeof Schema>;

const isShown = (bound: number | undefined): bound is number =>
  bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;

const boundsOf = ({ minimum, maximum, exclusiveMinimum, maxLength, maxItems }: Schema): string[] => [
  ...(isShown(exclusiveMinimum) ? [`above ${exclusiveMinimum}`] : []),
  ...(isShown(minimum) ? [`at least ${minimum}`] : []),
  ...(isShown(maximum) ? [`at most ${maximum}`] : []),
  ...(isShown(maxLength) ? [`at most ${maxLength} characters`] : []),
  ...(isShown(maxItems) ? [`at most ${maxItems} entries`] : []),
];

export const fieldsOf = (object: z.ZodType, io: 'input' | 'output'): Field[] => {
  const root = Schema.parse(z.toJSONSchema(object, { io, unrepresentable: 'any', reused: 'inline' }));
  const resolved = (schema: Schema): Schema => {
    const target = schema.$ref && root.$defs?.[schema.$ref.slice('#/$defs/'.length)];
    return target ? { ...target, ...(schema.description && { description: schema.description }) } : schema;
  };

  const typeOf = (given: Schema): string => {
    const schema = resolved(given);
    if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(', ');
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.items) return `array of ${typeOf(schema.items)}`;
    const [type = 'any value', ...others] = [schema.type ?? []].flat();
    return [[schema.format ?? type, ...others].join(' or '), ...boundsOf(schema)].join(', ');
  };

  const insideOf = (given: Schema): { schema: Schema; suffix: string } | undefined => {
    const schema = resolved(given);
    if (schema.properties) return { schema, suffix: '' };
    const inItems = schema.items && insideOf(schema.items);
    if (inItems) return { ...inItems, suffix: `[]${inItems.suffix}` };
    return schema.anyOf?.map(insideOf).find((inside) => inside !== undefined);
  };

  const walk = (schema: Schema, prefix: string): Field[] =>
    Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
      const name = `${prefix}${key}`;
      const { description = '', default: preset } = resolved(property);
      const presetText = preset === undefined ? '' : `Default: \`${JSON.stringify(preset)}\`.`;
      const inside = insideOf(property);
      return [
        {
          name,
          type: typeOf(property),
          isRequired: schema.required.includes(key),
          description: [description, presetText].filter(Boolean).join(' '),
        },
        ...(inside ? walk(inside.schema, `${name}${inside.suffix}.`) : []),
      ];
    });

  return walk(resolved(root), '');
};
