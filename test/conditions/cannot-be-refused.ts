export interface AcceptedClause {
  /** Of the names of clauses, such as `shared/platform/table/writes.ts:70 Put SALE: attribute_not_exists(pk)`. */
  clauses: RegExp;
  reason: string;
}

/** Conditions that no test can see refused. Each stays in the code as a guard against a mistake of ours. */
export const cannotBeRefused: readonly AcceptedClause[] = [
  {
    clauses: /writes\.ts:\d+ Put [A-Z_]+: attribute_not_exists\(pk\)$/,
    reason: 'A new record has a random id.',
  },
  {
    clauses:
      / Put (AFFILIATE#(TOTALS|NAME)|(COUPON|PROMOTIONAL_CODE)#USES|UNCOUNTED|ACCOUNT#PROGRAM): attribute_not_exists\(pk\)$/,
    reason: 'Its key has the random id of a record that is created in the same transaction.',
  },
  {
    clauses: / (Put SALE#WORD: attribute_not_exists\(pk\)|Delete (AFFILIATE|SALE)#WORD: id = :id)$/,
    reason: 'Its key has the id of its record, which is written under its version in the same transaction.',
  },
  {
    clauses: / Delete (ERASURE#EMAIL|(EXPORT|IMPORT)#RUNNING): id = :id$/,
    reason: 'Only the record that holds it releases it, under its version in the same transaction.',
  },
  {
    clauses: / Put TOKEN: attribute_not_exists\(pk\)$/,
    reason: 'A new token is random.',
  },
  {
    clauses: / (ConditionCheck (PROGRAM|LINK)|Update AFFILIATE): attribute_exists\(pk\)$/,
    reason: 'Where the record is gone, another clause of the condition is false too.',
  },
];
