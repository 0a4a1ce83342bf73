import * as z from 'zod';
import { email, lines } from '../fields.ts';
import { mailOpening, mailSenderName, mailSubject } from '../mail-settings.ts';
import { webPage } from '../page.ts';
import { noFields } from './operation-form.ts';

const area = { function: 'web-programs', auth: 'session', role: 'OWNER' } as const;
const path = '/programs/{programId}/settings/mails';
const pathOfOne = `${path}/{mailKind}` as const;

const showMails = webPage({ ...area, id: 'showMails', method: 'GET', path, needs: [] });

const changeMailSender = webPage({
  ...area,
  id: 'changeMailSender',
  method: 'POST',
  path,
  form: z.strictObject({ senderName: mailSenderName.optional(), replyTo: email.optional() }),
  needs: ['PROGRAM:change'],
});

const showMail = webPage({ ...area, id: 'showMail', method: 'GET', path: pathOfOne, needs: [] });

/** A text that is left empty is that of the kind. */
const changeMail = webPage({
  ...area,
  id: 'changeMail',
  method: 'POST',
  path: pathOfOne,
  form: z.strictObject({
    isOn: z.literal('on').optional(),
    subject: mailSubject.optional(),
    opening: lines
      .overwrite((value) => value.replaceAll(/\s+/g, ' '))
      .pipe(mailOpening)
      .optional(),
  }),
  needs: ['PROGRAM:change'],
});

const previewMail = webPage({ ...area, id: 'previewMail', method: 'GET', path: `${pathOfOne}/preview`, needs: [] });

const sendTestMail = webPage({
  ...area,
  id: 'sendTestMail',
  method: 'POST',
  path: `${pathOfOne}/test`,
  form: noFields,
  needs: ['mails:send'],
});

export const mailPages = [showMails, changeMailSender, showMail, changeMail, previewMail, sendTestMail] as const;
