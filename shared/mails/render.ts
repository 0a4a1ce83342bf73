import type { MailKind } from '../contract/mails.ts';
import { contentOf, type MailContext } from './content.ts';
import { type MailBrand, mailHtml } from './html.tsx';
import { mailText } from './text.ts';

export interface RenderedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

interface MailToRender {
  readonly kind: MailKind;
  readonly data: Readonly<Record<string, unknown>>;
  readonly to: string;
  readonly brand: MailBrand;
  readonly texts?: MailContext['texts'];
  readonly unsubscribeUrl: string | undefined;
}

/** The HTML and the plain text of a mail, of one content. Throws ZodError for data that are not those of its kind. */
export const renderMail = ({ kind, data, to, brand, texts, unsubscribeUrl }: MailToRender): RenderedMail => {
  const { subject, blocks } = contentOf(kind, data, { programName: brand.name, to, texts });
  const footer = `Sent by ${brand.name} to ${to}.`;
  const ending = unsubscribeUrl === undefined ? [] : [`Do not send me mails like this: ${unsubscribeUrl}`];
  return {
    subject,
    html: mailHtml({ brand, subject, blocks, footer, unsubscribeUrl }),
    text: mailText(blocks, [footer, ...ending]),
  };
};
