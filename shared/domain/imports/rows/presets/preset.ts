import type { ImportKind } from '../../../../contract/imports.ts';

export interface Preset {
  /** Of each kind that it exports: the column of a header, in any spelling; null for a header that is not imported. */
  readonly columns: Partial<Record<ImportKind, Readonly<Record<string, string | null>>>>;
  /** An amount without decimals and sign is in minor units, as in the product's API. */
  readonly wholeAmountsAreMinor: boolean;
}
