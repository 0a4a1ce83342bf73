import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { StoredProgram } from '../../shared/domain/programs/repository.ts';
import type { View } from '../../shared/web/responses.ts';

/** A program of which pages are rendered without a stack. */
export const programShown = (): StoredProgram => ({
  id: '019a0000-0000-7000-8000-0000000000d1',
  createdAt: '2025-12-31T12:00:00.000Z',
  updatedAt: '2025-12-31T12:00:00.000Z',
  version: 1,
  name: 'Shop',
  currency: 'USD',
  commissionRate: 20,
  baseUrls: [],
  allowSelfReferral: false,
  timeZone: 'UTC',
  handle: null,
  attribution: 'LAST_CLICK',
  attributionDays: 60,
  showsCodes: false,
  portalIsOn: true,
  logoUrl: null,
  embeddingOrigins: [],
  applicationForm: null,
  ownerEmail: 'owner@example.com',
  plan: 'BUSINESS',
});

export const htmlOf = ({ content }: View): string => renderToString(content as VNode);

/** What a person reads, an element a line: a link is followed by its address. */
export const linesOf = (html: string): string[] =>
  html
    .replaceAll(/<svg.*?<\/svg>/gs, '')
    .replaceAll(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs, '$2 ($1)')
    .split(/<[^>]*>/)
    .map((text) => text.trim())
    .filter(Boolean);
