/**
 * The layers of the source: imports run down these lists only. See docs/decisions/layers.md.
 */
const layers = [
  ['contract', '^shared/contract/'],
  ['platform', '^shared/platform/'],
  ['domain', '^shared/domain/'],
  ['events', '^events/'],
  ['webhooks', '^shared/webhooks/'],
  ['http', '^shared/http/'],
  ['web', '^shared/web/'],
  ['functions', '^functions/'],
];

/** The rooms of a layer, lowest first. */
const rooms = {
  'shared/domain': [
    'access',
    'programs',
    'affiliates',
    'coupons',
    'promotional-codes',
    'links',
    'attribution',
    'referrals',
    'sales',
    'payouts',
    'totals',
    'deletions',
  ],
  'shared/webhooks': ['endpoints', 'feed', 'delivery', 'fan-out'],
};

/** One rule for each layer or room: it imports none of those above it. */
const downwards = (ordered) =>
  ordered.slice(0, -1).map(([name, path], at) => ({
    name: `${name}-imports-nothing-above-it`,
    severity: 'error',
    from: { path },
    to: { path: ordered.slice(at + 1).map(([, above]) => above) },
  }));

const roomRules = Object.entries(rooms).flatMap(([folder, names]) =>
  downwards(names.map((name) => [`${folder}/${name}`, `^${folder}/${name}/`])),
);

const isRoom = Object.entries(rooms).map(([folder, names]) => `^${folder}/(${names.join('|')})/`);

export default {
  forbidden: [
    ...downwards(layers),
    ...roomRules,
    {
      name: 'every-room-has-its-place',
      comment: 'A new folder of the domain or the webhooks must be entered in the list of rooms.',
      severity: 'error',
      from: { path: Object.keys(rooms).map((folder) => `^${folder}/`), pathNot: isRoom },
      to: {},
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-cycles-between-folders', severity: 'error', scope: 'folder', from: {}, to: { circular: true } },
    {
      name: 'contract-imports-zod-only',
      severity: 'error',
      from: { path: '^shared/contract/' },
      to: { pathNot: ['^shared/contract/', '^node_modules/zod/'] },
    },
    {
      name: 'sdk-in-platform-only',
      severity: 'error',
      from: { path: '^(shared|events|functions)/', pathNot: '^shared/platform/' },
      to: { path: '^node_modules/@(aws-sdk|smithy)/' },
    },
    {
      name: 'local-aws-stands-alone',
      severity: 'error',
      from: { path: '^infra/local/' },
      to: { pathNot: ['^infra/local/', '^node_modules/', '^aws-lambda$'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'client-imports-contract-and-events',
      comment:
        'Of the service, the client knows what is promised. It takes the types of events, which a bundle leaves out.',
      severity: 'error',
      from: { path: '^shared/client/' },
      to: {
        pathNot: ['^shared/(client|contract)/', '^events/', '^node_modules/(zod|standardwebhooks|commander)/'],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'service-imports-no-client',
      severity: 'error',
      from: { path: '^(shared|events|functions)/', pathNot: '^shared/client/' },
      to: { path: '^shared/client/' },
    },
    {
      name: 'product-imports-no-infrastructure',
      severity: 'error',
      from: { path: '^(shared|events|functions)/' },
      to: { path: '^(infra|test)/' },
    },
  ],
  options: {
    // Imports of types count: they bind the reader as others do.
    tsPreCompilationDeps: true,
    doNotFollow: { path: '^node_modules/' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.mjs'] },
  },
};
