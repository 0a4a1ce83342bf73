import { ApiError } from '../../contract/errors.ts';
import { type MailKind, mailKinds, mails } from '../../contract/mails.ts';
import type { mailPages } from '../../contract/pages/mails.ts';
import { changeMailKind, changeSender } from '../../domain/programs/change-mail-settings.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { type RenderedMail, renderMail } from '../../mails/render.ts';
import { sampleMailData } from '../../mails/samples.ts';
import { allowedData, senderOf } from '../../mails/sender.ts';
import { sendMail } from '../../platform/mail/send-mail.ts';
import { type Filled, unfilled } from '../components/controls.tsx';
import { withFlash } from '../components/flash.ts';
import type { PageHandlersOf } from '../handlers.ts';
import { mailPath, mailsPath, mailsView, mailView, type Place } from '../pages/mails.tsx';
import { redirect, type View } from '../responses.ts';
import { addressOf, appUrl } from '../session/app-url.ts';

const kindIn = ({ mailKind }: { mailKind: string }): MailKind => {
  const found = mailKinds.find((kind) => kind === mailKind);
  if (!found) throw new ApiError('not_found', 'There is no such mail');
  return found;
};

const sampleOf = (kind: MailKind, { currency }: StoredProgram) => sampleMailData(appUrl().href, currency)[kind];

const preview = (kind: MailKind, program: StoredProgram, to: string): RenderedMail => {
  const { brand, texts } = senderOf(kind, program);
  // Leads nowhere: only a mail that is sent has a link of its own.
  const unsubscribeUrl = mails[kind].isTransactional ? undefined : addressOf('/mails/unsubscribe/example').href;
  return renderMail({
    kind,
    data: allowedData(kind, sampleOf(kind, program), program),
    to,
    brand,
    texts,
    unsubscribeUrl,
  });
};

const shown = (place: Place, kind: MailKind, filled: Filled): View =>
  mailView(place, { kind, shownSubject: preview(kind, place.program, place.session.email).subject }, filled);

export const mailHandlers: PageHandlersOf<typeof mailPages> = {
  showMails: ({ session, program }) => mailsView({ session, program }, unfilled),

  changeMailSender: {
    submit: async ({ program, form: { senderName = null, replyTo = null }, now }) => {
      await changeSender(program.id, { senderName, replyTo }, now);
      return redirect(withFlash(mailsPath(program.id), 'saved'));
    },
    showAgain: ({ session, program }, filled) => mailsView({ session, program }, filled),
  },

  showMail: ({ session, program, parameters }) => shown({ session, program }, kindIn(parameters), unfilled),

  changeMail: {
    submit: async ({ program, parameters, form: { isOn, subject = null, opening = null }, now }) => {
      const kind = kindIn(parameters);
      await changeMailKind(program.id, kind, { isOff: isOn !== 'on', subject, opening }, now);
      return redirect(withFlash(mailPath(program.id, kind), 'saved'));
    },
    showAgain: ({ session, program, parameters }, filled) => shown({ session, program }, kindIn(parameters), filled),
  },

  previewMail: ({ session, program, parameters }) => ({
    kind: 'framed',
    html: preview(kindIn(parameters), program, session.email).html,
  }),

  sendTestMail: async ({ session, program, parameters, now }) => {
    const kind = kindIn(parameters);
    const data = sampleOf(kind, program);
    const mail = { programId: program.id, kind, to: session.email, data, isTest: true };
    const isSent = await sendMail({ ...mail, occasion: `TEST ${now.toISOString()}` }, now);
    return redirect(isSent ? withFlash(mailPath(program.id, kind), 'test-mail-sent') : mailPath(program.id, kind));
  },
};
