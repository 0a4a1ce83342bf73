/** A route of an HTTP API, such as `ANY /orders`, `GET /orders/{id}`, `ANY /{proxy+}` or `$default`. */
export interface Route<Target> {
  readonly key: string;
  readonly target: Target;
}

export interface Match<Target> {
  readonly route: Route<Target>;
  readonly pathParameters: Record<string, string>;
}

/** Makes a finder that picks the most specific route of a request, as API Gateway does; `path` is without the query. */
export function createRouter<Target>(
  routes: readonly Route<Target>[],
): (method: string, path: string) => Match<Target> | undefined {
  const fallback = routes.find(({ key }) => key === '$default');
  const candidates = routes.filter(({ key }) => key !== '$default').map(compile);
  candidates.sort((one, other) => other.specificity - one.specificity);
  return (method, path) => {
    for (const candidate of candidates) {
      if (candidate.method !== 'ANY' && candidate.method !== method) continue;
      const groups = candidate.pattern.exec(path);
      if (groups) return { route: candidate.route, pathParameters: pathParameters(candidate.names, groups) };
    }
    return fallback && { route: fallback, pathParameters: {} };
  };
}

function compile<Target>(route: Route<Target>) {
  const [method = '', path = ''] = route.key.split(' ');
  const names: string[] = [];
  const segments = path.split('/').map((segment) => {
    const variable = /^\{(.+?)(\+?)\}$/.exec(segment);
    if (!variable) return segment.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    names.push(variable[1] ?? '');
    return variable[2] ? '(.+)' : '([^/]+)';
  });
  const greedy = path.includes('+}');
  // A full match wins over a greedy one, a longer path over a shorter, a fixed segment over a variable, GET over ANY.
  const specificity =
    (greedy ? 0 : 1_000_000) + segments.length * 1000 - names.length * 10 + (method === 'ANY' ? 0 : 1);
  return { route, method, names, specificity, pattern: new RegExp(`^${segments.join('/')}$`) };
}

function pathParameters(names: readonly string[], groups: RegExpExecArray): Record<string, string> {
  const parameters: Record<string, string> = {};
  names.forEach((name, index) => {
    const raw = groups[index + 1] ?? '';
    try {
      parameters[name] = decodeURIComponent(raw);
    } catch {
      parameters[name] = raw;
    }
  });
  return parameters;
}
