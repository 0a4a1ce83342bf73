import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { mailVariables } from '../../contract/mails.ts';
import { requestHandler } from '../clients/request-handler.ts';

const client = new SESv2Client({ maxAttempts: 5, requestHandler });

export interface Email {
  readonly fromName: string;
  readonly replyTo: string | undefined;
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** RFC 8058 */
  readonly unsubscribeUrl: string | undefined;
}

/** What would begin another header, or show text in another order than it has. */
const notInHeader = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** A text as one line of a header: of at most `most` characters, without control characters. */
export const headerLine = (text: string, most: number): string => {
  const characters = [...text.replaceAll(notInHeader, ' ').replaceAll(/\s+/g, ' ').trim()];
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
};

const wordBytes = 45;

/** RFC 2047: no character is in two words, and no word is longer than 75 characters. */
const encodedWords = (text: string): string => {
  const words = [''];
  for (const character of text) {
    const last = words.at(-1) ?? '';
    if (Buffer.byteLength(last + character) > wordBytes) words.push(character);
    else words[words.length - 1] = last + character;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
};

const maxNameCharacters = 80;
const maxSubjectCharacters = 150;

/** An address with a name, which may be any text. Always encoded, so that no character of it has a meaning. */
export const mailbox = (name: string, address: string): string => {
  const line = headerLine(name, maxNameCharacters);
  return line === '' ? address : `${encodedWords(line)} <${address}>`;
};

const required = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set`);
  return value;
};

const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });

const unsubscribeHeaders = (url: string) => [
  { Name: 'List-Unsubscribe', Value: `<${url}>` },
  { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
];

/** Says nothing of what SES said, which may name the address. */
class EmailRefused extends Error {
  override name = 'EmailRefused';
}

/** Throws where SES refuses it or cannot be reached. A retry may send the email again: who calls it holds a claim. */
export const sendEmail = async (email: Email): Promise<void> => {
  const { fromName, replyTo, to, subject, html, text, unsubscribeUrl } = email;
  const command = new SendEmailCommand({
    FromEmailAddress: mailbox(fromName, required(mailVariables.from)),
    ConfigurationSetName: required(mailVariables.configurationSet),
    Destination: { ToAddresses: [to] },
    ...(replyTo !== undefined && { ReplyToAddresses: [replyTo] }),
    Content: {
      Simple: {
        Subject: utf8(headerLine(subject, maxSubjectCharacters)),
        Body: { Html: utf8(html), Text: utf8(text) },
        Headers: [
          { Name: 'Auto-Submitted', Value: 'auto-generated' },
          ...(unsubscribeUrl === undefined ? [] : unsubscribeHeaders(unsubscribeUrl)),
        ],
      },
    },
  });
  try {
    await client.send(command);
  } catch (error) {
    throw new EmailRefused(`SES refused it: ${error instanceof Error ? error.name : 'unknown'}`);
  }
};
