import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { ComponentChildren } from 'preact';
import { documentOf, type Frame } from './layout.tsx';
import { securityHeaders } from './security-headers.ts';

/** A page to show: what is in its main part, under its title. */
export interface View {
  readonly kind: 'view';
  readonly title: string;
  readonly content: ComponentChildren;
  readonly status: number;
  readonly cookies: readonly string[];
  /** Where its forms may lead beside this application. */
  readonly formTargets: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Another address to go to, by GET. */
export interface Redirect {
  readonly kind: 'redirect';
  readonly to: string;
  readonly cookies: readonly string[];
}

/** A file that belongs to the pages. */
interface Asset {
  readonly kind: 'asset';
  readonly type: string;
  readonly body: string;
  /** Whether it can be kept for good: its address changes with it. */
  readonly immutable: boolean;
}

export type WebAnswer = View | Redirect | Asset;

/** A page with this title and this main part. */
export const view = (
  title: string,
  content: ComponentChildren,
  more: Partial<Omit<View, 'kind' | 'title' | 'content'>> = {},
): View => ({ kind: 'view', title, content, status: 200, cookies: [], formTargets: [], headers: {}, ...more });

/** Sends the browser to an address: a path of ours, or one that was checked. */
export const redirect = (to: string, cookies: readonly string[] = []): Redirect => ({ kind: 'redirect', to, cookies });

/** The answer as payload 2.0. `frame` is what surrounds a view. */
export const webAnswer = (answer: WebAnswer, frame: Frame): APIGatewayProxyStructuredResultV2 => {
  switch (answer.kind) {
    case 'redirect':
      return {
        statusCode: 303,
        headers: { ...securityHeaders(), location: answer.to },
        cookies: [...answer.cookies],
        body: '',
      };
    case 'asset':
      return {
        statusCode: 200,
        headers: {
          ...securityHeaders(),
          'content-type': answer.type,
          ...(answer.immutable && { 'cache-control': 'public, max-age=31536000, immutable' }),
        },
        body: answer.body,
      };
    case 'view': {
      const signOutTarget = frame.session ? signInOrigin() : [];
      return {
        statusCode: answer.status,
        headers: {
          ...securityHeaders([...signOutTarget, ...answer.formTargets]),
          'content-type': 'text/html; charset=utf-8',
          ...answer.headers,
        },
        cookies: [...answer.cookies],
        body: documentOf(answer, frame),
      };
    }
  }
};

/** Signing out leads past the identity provider, and browsers count that as a form's target. */
const signInOrigin = (): string[] => (process.env.SIGN_IN_ORIGIN ? [process.env.SIGN_IN_ORIGIN] : []);
