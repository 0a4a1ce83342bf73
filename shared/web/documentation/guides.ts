/** The guides of `docs/` that integrators read here, in the order of the navigation. Those for operators stay in the repository. */
export const guideGroups = [
  {
    label: 'Guides',
    guides: [
      { slug: 'tour', label: 'Tour' },
      { slug: 'api-guide', label: 'API guide' },
      { slug: 'webhooks', label: 'Webhooks' },
      { slug: 'connector', label: 'Connector' },
      { slug: 'tracking', label: 'Tracking' },
      { slug: 'client', label: 'Typed client' },
      { slug: 'clients', label: 'Generated clients' },
    ],
  },
  {
    label: 'Reference',
    guides: [
      { slug: 'webhook-events', label: 'Webhook events' },
      { slug: 'behavior', label: 'Behavior' },
      { slug: 'glossary', label: 'Glossary' },
    ],
  },
] as const satisfies readonly { label: string; guides: readonly { slug: string; label: string }[] }[];

export type GuideSlug = (typeof guideGroups)[number]['guides'][number]['slug'];

export const guideSlugs: readonly GuideSlug[] = guideGroups.flatMap(({ guides }) => guides.map(({ slug }) => slug));

export const isGuideSlug = (text: string): text is GuideSlug => guideSlugs.some((slug) => slug === text);

export const labelOf = (slug: GuideSlug): string =>
  guideGroups
    .flatMap(({ guides }): readonly { slug: string; label: string }[] => guides)
    .find((guide) => guide.slug === slug)?.label ?? slug;
