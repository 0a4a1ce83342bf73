/** A write with a condition, as a command or an item of a transaction has it. */
export interface ConditionalWrite {
  operation: 'Put' | 'Update' | 'Delete' | 'ConditionCheck';
  TableName: string | undefined;
  Key?: Record<string, unknown> | undefined;
  Item?: Record<string, unknown> | undefined;
  ExpressionAttributeNames?: Record<string, string> | undefined;
  ExpressionAttributeValues?: Record<string, unknown> | undefined;
  /** The condition without its place. */
  expression: string;
  /** Where it is declared. */
  place: string;
}

/** The parts of a condition between its outermost ANDs; one with an outermost OR is one part. */
export const clausesOf = (expression: string): string[] => {
  const clauses: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: found, index } of expression.matchAll(/[()]| AND | OR /g)) {
    if (found === '(') depth += 1;
    else if (found === ')') depth -= 1;
    else if (depth === 0 && found === ' OR ') return [expression];
    else if (depth === 0) {
      clauses.push(expression.slice(start, index));
      start = index + found.length;
    }
  }
  return [...clauses, expression.slice(start)];
};

const isWord = (text: string): boolean => /^[A-Z_]+$/.test(text);

/** The kind of an item: `SALE`, `SALE#EXTERNAL_ID` of a unique value, `TOKEN`, `ACCOUNT#PROGRAM` of what lies in an account. */
const kindOf = ({ Key, Item }: ConditionalWrite): string => {
  const { pk, sk } = Key ?? Item ?? {};
  const [first = '', ...rest] = String(pk).split('#');
  const words = first === 'PROGRAM' ? rest.slice(1) : [first, ...String(sk).split('#')];
  return [...new Set(words.filter(isWord))].join('#');
};

/** `version = :before` of `#version = :before`; names that a test makes up, and keys inside a map, stay out. */
const readable = (clause: string, names: Record<string, string> = {}): string =>
  clause.replaceAll(/(?<!\.)#\w+/g, (placeholder) => {
    const name = names[placeholder] ?? '';
    return /^[A-Za-z]+$/.test(name) ? name : placeholder;
  });

/** Such as `shared/platform/table/writes.ts:39 Put SALE#EXTERNAL_ID: attribute_not_exists(pk)`. */
export const nameOfClause = (write: ConditionalWrite, clause: string): string =>
  `${write.place} ${write.operation} ${kindOf(write)}: ${readable(clause, write.ExpressionAttributeNames)}`;
