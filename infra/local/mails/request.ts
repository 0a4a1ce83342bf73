import * as z from 'zod';

// What SES takes of `SendEmail` (v2), and its refusals in its words.

const part = z.strictObject({ Data: z.string(), Charset: z.string().default('US-ASCII') });
const addresses = z.array(z.string()).default([]);

const sendEmail = z.strictObject({
  FromEmailAddress: z.string(),
  ConfigurationSetName: z.string().optional(),
  ReplyToAddresses: addresses,
  Destination: z.strictObject({ ToAddresses: addresses, CcAddresses: addresses, BccAddresses: addresses }),
  Content: z.strictObject({
    Simple: z.strictObject({
      Subject: part,
      Body: z.strictObject({ Html: part.optional(), Text: part.optional() }),
      Headers: z.array(z.strictObject({ Name: z.string(), Value: z.string() })).default([]),
    }),
  }),
});
export type SendEmail = z.output<typeof sendEmail>;

/** An error response of SES. */
export class SesRefusal extends Error {
  readonly type: string;
  readonly status: number;
  constructor(type: string, message: string, status = 400) {
    super(message);
    this.type = type;
    this.status = status;
  }
}

const badRequest = (message: string): never => {
  throw new SesRefusal('BadRequestException', message);
};

/** SES takes 40 MB; what a function sends here is text. */
const maxBytes = 10 * 1024 ** 2;
const maxRecipients = 50;
const maxHeaders = 15;
const headerName = /^[!-9;-@A-~]{1,126}$/;
const headerValue = /^[ -~]{1,870}$/;
/** Set by SES, or from the other fields of the request. */
const headersOfSes = new Set([
  ...['bcc', 'cc', 'content-disposition', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'reply-to'],
  ...['return-path', 'sender', 'subject', 'to', 'x-ses-configuration-set'],
]);
const addrSpec =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@([A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9-]{2,63}$/;
const mailboxForm = /^(?:(?<name>[^<>]*)<(?<inner>[^<>]+)>|(?<bare>[^<>\s]+))$/;
const encodedWord = /^=\?[\w-]+\?[BbQq]\?[^?\s]{1,70}\?=$/;
const asciiOnly = /^[\x20-\x7e]*$/;

/** The address of a mailbox such as `Shop <mails@example.com>`. Throws where SES would refuse it. */
export const addressOf = (mailbox: string): string => {
  if (!asciiOnly.test(mailbox)) badRequest('Local address contains control or whitespace');
  const { name = '', inner, bare } = mailboxForm.exec(mailbox)?.groups ?? {};
  const address = inner ?? bare ?? '';
  if (!address.includes('@')) badRequest("Missing final '@domain'");
  if (!addrSpec.test(address)) badRequest(`Domain or local part contains illegal character: ${address}`);
  const words = name.trim().split(/\s+/).filter(Boolean);
  // A name of special characters must be quoted or encoded.
  if (
    !words.every((word) => encodedWord.test(word) || /^[\w!#$%&'*+/=?^`{|}~-]+$/.test(word)) &&
    !/^".*"$/.test(name.trim())
  )
    badRequest(`Illegal display name: ${name}`);
  return address;
};

const checkHeaders = (headers: SendEmail['Content']['Simple']['Headers']): void => {
  if (headers.length > maxHeaders) badRequest(`Headers count exceeds ${maxHeaders}`);
  for (const { Name, Value } of headers) {
    if (!headerName.test(Name)) badRequest(`Invalid header name: ${Name}`);
    if (!headerValue.test(Value)) badRequest(`Invalid header value of ${Name}`);
    if (headersOfSes.has(Name.toLowerCase())) badRequest(`Header not allowed: ${Name}`);
  }
};

/** Reads the body of a `SendEmail`. Throws SesRefusal for what SES refuses whoever sends it. */
export const readSendEmail = (body: Buffer): SendEmail => {
  if (body.length > maxBytes) badRequest('Message length is more than 10485760 bytes long');
  let json: unknown;
  try {
    json = JSON.parse(body.toString());
  } catch {
    throw new SesRefusal('SerializationException', 'The request is not JSON');
  }
  const { data: request, error } = sendEmail.safeParse(json);
  if (!request) throw new SesRefusal('BadRequestException', z.prettifyError(error));
  const { ToAddresses, CcAddresses, BccAddresses } = request.Destination;
  const recipients = [...ToAddresses, ...CcAddresses, ...BccAddresses];
  if (recipients.length === 0) badRequest('Missing required field: Destination');
  if (recipients.length > maxRecipients) badRequest(`Recipient count exceeds ${maxRecipients}`);
  for (const one of [request.FromEmailAddress, ...recipients, ...request.ReplyToAddresses]) addressOf(one);
  const { Subject, Body, Headers } = request.Content.Simple;
  if (/[\r\n]/.test(Subject.Data)) badRequest('Subject contains a line break');
  if (!Body.Html && !Body.Text) badRequest('Missing required field: Body');
  for (const { Data, Charset } of [Subject, Body.Html ?? [], Body.Text ?? []].flat())
    if (Charset.toUpperCase() !== 'UTF-8' && Buffer.byteLength(Data) > Data.length)
      badRequest(`Data is not ${Charset}`);
  checkHeaders(Headers);
  return request;
};

/** A mailbox as a person sees it, its name decoded. */
export const shownMailbox = (mailbox: string): string =>
  mailbox
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?UTF-8\?B\?([^?]*)\?=/gi, (_, encoded: string) => Buffer.from(encoded, 'base64').toString());
