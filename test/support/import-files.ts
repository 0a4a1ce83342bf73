import type { ImportKind } from '../../shared/contract/imports.ts';

export interface KindOfFile {
  header: string;
  first: readonly string[];
  /** The same records, each with another value of a field that may change. */
  changed: readonly string[];
}

export const linesOf = ({ header }: KindOfFile, rows: readonly string[]): string => [header, ...rows].join('\n');

/** A file of every kind, for a program with links to https://shop.example.com and a group. */
export const importFiles = (groupId: string): Readonly<Record<ImportKind, KindOfFile>> => ({
  affiliates: {
    header: 'email,firstName,groupId,createdAt',
    first: [`amma@example.com,Amma,${groupId},2024-02-01`],
    changed: [`amma@example.com,Amma Ada,${groupId},2024-02-01`],
  },
  links: {
    header: 'link,affiliateEmail,destinationUrl',
    first: ['amma-spring,amma@example.com,https://shop.example.com/'],
    changed: ['amma-spring,amma@example.com,https://shop.example.com/spring'],
  },
  referrals: {
    header: 'name,email,affiliateEmail',
    first: ['Tom,tom@example.net,amma@example.com'],
    changed: ['Tom Reed,tom@example.net,amma@example.com'],
  },
  coupons: {
    header: 'name,percentOff,valid',
    first: ['Imported,20,true'],
    changed: ['Imported,20,false'],
  },
  codes: {
    header: 'code,couponName,affiliateEmail,externalId',
    first: ['AMMA20,Imported,amma@example.com,old-1'],
    changed: ['AMMA20,Imported,amma@example.com,new-1'],
  },
  sales: {
    header: 'externalId,totalEarned,affiliateEmail,email,name,commissionRate,createdAt,paidAt,refundedAmount',
    first: [
      'paid,49.00,amma@example.com,tom@example.net,Tom,10,2024-04-01,2024-05-03,',
      'unpaid,20.00,amma@example.com,mei@example.net,Mei,10,2024-04-02,,',
    ],
    changed: [
      'paid,49.00,amma@example.com,tom@example.net,Tom,10,2024-04-01,2024-05-03,9',
      'unpaid,20.00,amma@example.com,mei@example.net,Lin,30,2024-04-02,,',
    ],
  },
});
