/**
 * The layers of the source: imports run down these lists only. See docs/decisions/layers.md.
 */
const layers = [
  ['contract', '^shared/contract/'],
  ['platform', '^shared/platform/'],
  ['domain', '^shared/domain/'],
  ['mails', '^shared/mails/'],
  ['events', '^events/'],
  ['webhooks', '^shared/webhooks/'],
  ['http', '^shared/http/'],
  ['web', '^shared/web/'],
  ['portal', '^shared/portal/'],
  ['functions', '^functions/'],
];

/** The folders of a layer, lowest first. */
const folders = {
  'shared/domain': [
    'access',
    'programs',
    'assets',
    'groups',
    'affiliates',
    'portal',
    'statistics',
    'uses',
    'coupons',
    'promotional-codes',
    'tracking',
    'review',
    'attribution',
    'referrals',
    'commissions',
    'sales',
    'payouts',
    'totals',
    'imports',
    'exports',
    'audit',
    'privacy',
    'deletions',
  ],
  'shared/domain/payouts': ['parts', 'prepare', 'pay', 'release', 'steps'],
  'shared/webhooks': ['endpoints', 'feed', 'delivery', 'audit', 'privacy', 'fan-out'],
  'shared/web': ['session', 'components', 'forms', 'lists', 'pages', 'records', 'documentation', 'tracking'],
};

/** One rule for each layer or folder: it imports none of those above it. */
const downwards = (ordered) =>
  ordered.slice(0, -1).map(([name, path], at) => ({
    name: `${name}-imports-nothing-above-it`,
    severity: 'error',
    from: { path },
    to: { path: ordered.slice(at + 1).map(([, above]) => above) },
  }));

const folderRules = Object.entries(folders).flatMap(([parent, names]) =>
  downwards(names.map((name) => [`${parent}/${name}`, `^${parent}/${name}/`])),
);

/** Files may stand in `parent` itself where its folders are the steps of one thing. */
const inListedFolder = Object.entries(folders).map(([parent, names]) => `^${parent}/(${names.join('|')})/`);
const mayHoldFiles = ['shared/web', 'shared/domain/payouts'].map((parent) => `^${parent}/[^/]+$`);

export default {
  forbidden: [
    ...downwards(layers),
    ...folderRules,
    {
      name: 'every-folder-has-its-place',
      comment: 'A new folder of these must be entered in the list of folders.',
      severity: 'error',
      from: {
        path: Object.keys(folders).map((parent) => `^${parent}/`),
        pathNot: [...inListedFolder, ...mayHoldFiles],
      },
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
