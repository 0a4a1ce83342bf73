/** What the response of a call said beside its body. */
export interface ResponseInfo {
  status: number;
  headers: Headers;
  /** Names the request in the logs of the service. */
  requestId: string | undefined;
  /** The version of the record, for `ifMatch`. */
  etag: string | undefined;
  /** The cursor of the next page. */
  next: string | undefined;
}

const infos = new WeakMap<object, ResponseInfo>();

const nextCursor = (link: string | null): string | undefined => {
  const [, url] = /<([^>]*)>;\s*rel="next"/.exec(link ?? '') ?? [];
  const { searchParams } = new URL(url ?? 'none:');
  return searchParams.get('cursor') ?? searchParams.get('after') ?? undefined;
};

/** Keeps what a response said, and returns its content. */
export const withInfo = <Content>(content: Content, { status, headers }: Response): Content => {
  if (content instanceof Object)
    infos.set(content, {
      status,
      headers,
      requestId: headers.get('x-request-id') ?? undefined,
      etag: headers.get('etag') ?? undefined,
      next: nextCursor(headers.get('link')),
    });
  return content;
};

/** The response that a record, or a page's `data`, came with. Undefined for anything else. */
export const responseOf = (result: object): ResponseInfo | undefined => infos.get(result);
