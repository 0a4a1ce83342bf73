import type { Item } from './keys.ts';

/** The condition that a map has the entry already, or room for one more. */
export const hasRoom = (attribute: string, entry: string) =>
  `(attribute_exists(${entry}) OR size(${attribute}) < :max)`;

export class UpdateParts {
  readonly names: Record<string, string> = { '#version': 'version' };
  readonly values: Item = {};
  readonly sets: string[] = [];
  readonly removes: string[] = [];
  readonly conditions = ['#version = :before'];

  constructor(version: number) {
    this.values[':before'] = version;
  }

  expect(name: string, value: unknown): void {
    this.names[`#${name}`] = name;
    this.values[`:still_${name}`] = value;
    this.conditions.push(`#${name} = :still_${name}`);
  }

  set(name: string, value: unknown): void {
    this.names[`#${name}`] = name;
    if (value === undefined) this.removes.push(`#${name}`);
    else {
      this.values[`:${name}`] = value;
      this.sets.push(`#${name} = :${name}`);
    }
  }

  addEntry(name: string, { before, after, max }: { before: unknown; after: unknown; max: number }): void {
    const known = new Set(Object.keys(before ?? {}));
    const [added, another] = Object.entries(after ?? {}).filter(([entry]) => !known.has(entry));
    if (!added || another) throw new Error(`A change adds one entry to ${name}, no more and no less`);
    Object.assign(this.names, { [`#${name}`]: name, '#mapEntry': added[0] });
    Object.assign(this.values, { ':mapEntry': added[1], ':max': max });
    this.sets.push(`#${name}.#mapEntry = :mapEntry`);
    this.conditions.push(hasRoom(`#${name}`, `#${name}.#mapEntry`));
  }

  get expressions() {
    const removal = this.removes.length > 0 ? ` REMOVE ${this.removes.join(', ')}` : '';
    return {
      UpdateExpression: `SET ${this.sets.join(', ')}${removal}`,
      ConditionExpression: this.conditions.join(' AND '),
      ExpressionAttributeNames: this.names,
      ExpressionAttributeValues: this.values,
    };
  }
}
