import { readFileSync } from 'node:fs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { programs } from '../../../shared/domain/programs/repository.ts';
import { creditOf, trackedProgram } from '../../../shared/domain/tracking/find-target.ts';

const itemsOf = (kind: string) =>
  z
    .array(z.record(z.string(), z.any()))
    .parse(JSON.parse(readFileSync(new URL(`../../stored/items/${kind}.json`, import.meta.url), 'utf8')))
    .map((item) => unmarshall(item));

it('a program is read by hand as its schema reads it, whatever version has stored it', () => {
  const items = itemsOf('PROGRAM');
  expect(items.length).toBeGreaterThan(1);
  for (const item of items) expect(programs.schema.parse(item)).toMatchObject(trackedProgram(item));
  const changed = { ...items[0], attribution: 'FIRST_CLICK', attributionDays: 7, showsCodes: true };
  expect(programs.schema.parse(changed)).toMatchObject(trackedProgram(changed));
});

it('the text of a link credits its link where it says all of it and the affiliate is active', () => {
  const link = {
    id: expect.any(String),
    link: 'Amara-mwtlbvxh',
    affiliateId: expect.any(String),
    destinationUrl: null,
  };
  expect(itemsOf('LINK.SLUG').map(creditOf)).toEqual([undefined, undefined, { link }, { link: undefined }]);
});
