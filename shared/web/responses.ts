import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { ComponentChildren } from 'preact';
import { type DocumentOf, dashboardDocument, type Frame, type PageHead } from './components/layout.tsx';
import { headersOfFramed, securityHeaders } from './security-headers.ts';

export interface View extends PageHead {
  readonly kind: 'view';
  readonly content: ComponentChildren;
  readonly status: number;
  readonly cookies: readonly string[];
  /** Targets of its forms outside this application. */
  readonly formTargets: readonly string[];
  readonly hasFrame: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Redirect {
  readonly kind: 'redirect';
  readonly to: string;
  readonly cookies: readonly string[];
}

interface Asset {
  readonly kind: 'asset';
  readonly type: string;
  readonly body: string;
  readonly immutable: boolean;
}

/** For the script of the pages. */
interface Json {
  readonly kind: 'json';
  readonly body: unknown;
}

/** A file to download, compressed with gzip. */
export interface Download {
  readonly kind: 'download';
  readonly type: string;
  readonly fileName: string;
  readonly compressed: Buffer;
}

/** A document for a frame of one of our pages: it runs nothing, loads nothing and leads nowhere. */
interface Framed {
  readonly kind: 'framed';
  readonly html: string;
}

export type WebResponse = View | Redirect | Asset | Json | Download | Framed;

export const view = (
  title: string,
  content: ComponentChildren,
  more: Partial<Omit<View, 'kind' | 'title' | 'content'>> = {},
): View => ({
  kind: 'view',
  title,
  content,
  status: 200,
  cookies: [],
  formTargets: [],
  hasFrame: false,
  headers: {},
  ...more,
});

export const redirect = (to: string, cookies: readonly string[] = []): Redirect => ({ kind: 'redirect', to, cookies });

/** What the settings of a program allow its portal: to be shown in a frame, and to show a logo. */
const allowedInPortal = ({ program, portal }: Frame) =>
  portal && program
    ? {
        frameAncestors: program.embeddingOrigins,
        imageSources: program.logoUrl === null ? [] : [new URL(program.logoUrl).origin],
      }
    : {};

const downloadResponse = (response: Download): APIGatewayProxyStructuredResultV2 => {
  return {
    statusCode: 200,
    headers: {
      ...securityHeaders(),
      'content-type': response.type,
      'content-encoding': 'gzip',
      'content-disposition': `attachment; filename="${response.fileName}"`,
    },
    body: response.compressed.toString('base64'),
    isBase64Encoded: true,
  };
};

const viewResponse = (response: View, frame: Frame, documentOf: DocumentOf): APIGatewayProxyStructuredResultV2 => {
  const signOutTarget = frame.session ? signInOrigin() : [];
  return {
    statusCode: response.status,
    headers: {
      ...securityHeaders({
        ...allowedInPortal(frame),
        formTargets: [...signOutTarget, ...response.formTargets],
        hasFrame: response.hasFrame,
      }),
      'content-type': 'text/html; charset=utf-8',
      ...response.headers,
    },
    cookies: [...response.cookies],
    body: documentOf(response, response.content, frame),
  };
};

export const webResponse = (
  response: WebResponse,
  frame: Frame,
  documentOf: DocumentOf = dashboardDocument,
): APIGatewayProxyStructuredResultV2 => {
  switch (response.kind) {
    case 'redirect':
      return {
        statusCode: 303,
        headers: { ...securityHeaders(allowedInPortal(frame)), location: response.to },
        cookies: [...response.cookies],
        body: '',
      };
    case 'asset':
      return {
        statusCode: 200,
        headers: {
          ...securityHeaders(),
          'content-type': response.type,
          ...(response.immutable && { 'cache-control': 'public, max-age=31536000, immutable' }),
        },
        body: response.body,
      };
    case 'json':
      return {
        statusCode: 200,
        headers: { ...securityHeaders(), 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify(response.body),
      };
    case 'download':
      return downloadResponse(response);
    case 'framed':
      return {
        statusCode: 200,
        headers: { ...securityHeaders(), ...headersOfFramed, 'content-type': 'text/html; charset=utf-8' },
        body: response.html,
      };
    case 'view':
      return viewResponse(response, frame, documentOf);
  }
};

/** Browsers count the redirects after a form as its targets, and signing out leads past the identity provider. */
const signInOrigin = (): string[] => (process.env.SIGN_IN_ORIGIN ? [process.env.SIGN_IN_ORIGIN] : []);
