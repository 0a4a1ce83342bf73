import type * as z from 'zod';
import type { Link } from '../../contract/links.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { decimalText } from '../../platform/money/money.ts';
import type { CsvColumn } from '../lists/csv-download.ts';
import { type ColumnsOf, csvColumns, leftOut } from '../lists/record-fields.ts';
import type { LinkOfAffiliate } from './link-list.tsx';

const columnsOf = ({
  currency,
}: StoredProgram): ColumnsOf<
  z.output<typeof Link>,
  LinkOfAffiliate,
  'affiliateId' | 'affiliateEmail' | 'currency'
> => ({
  id: ({ link }) => link.id,
  link: ({ link }) => link.link,
  affiliate: leftOut('Its id and email are columns'),
  affiliateId: ({ link }) => link.affiliateId,
  affiliateEmail: ({ affiliate }) => affiliate?.email ?? null,
  destinationUrl: ({ link }) => link.destinationUrl,
  clicks: ({ link }) => link.clicks,
  referrals: ({ link }) => link.referrals,
  sales: ({ link }) => link.sales,
  currency: () => currency,
  totalRevenue: ({ link }) => decimalText(String(link.totalRevenueMinor), currency),
  createdAt: ({ link }) => link.createdAt,
  program: leftOut('A file is of one program'),
  promotionalCodes: leftOut('They have a file of their own'),
  fullURLs: leftOut('They are the base URLs with the slug'),
  updatedAt: leftOut('It tells people nothing'),
});

export const linkCsvColumns = (program: StoredProgram): CsvColumn<LinkOfAffiliate>[] => csvColumns(columnsOf(program));
