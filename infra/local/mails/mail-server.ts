import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenOn } from '../listen.ts';
import type { Sending } from './deploy-mails.ts';
import { createMailbox, type Mailbox } from './mailbox.ts';
import { addressOf, readSendEmail, type SendEmail, SesRefusal, shownMailbox } from './request.ts';

export interface MailServer {
  readonly endpoint: string;
  readonly mailbox: Mailbox;
  /** From now on these identities send; before, none does. */
  serve(sending: Sending): void;
  stop(): void;
}

const sendEmailPath = '/v2/email/outbound-emails';

/** The addresses of SES's mailbox simulator that do not just take a mail, each with its event. `+label` may follow the name. */
const simulator = /^(bounce|complaint|suppressionlist)(?:\+[^@]*)?@simulator\.amazonses\.com$/i;

/** In the form of SES's event publishing, as far as it does not need a real mail server. */
const eventOf = (address: string, mail: object): { type: 'bounce' | 'complaint'; event: object } | undefined => {
  const name = simulator.exec(address)?.[1]?.toLowerCase();
  if (name === undefined) return undefined;
  const timestamp = new Date().toISOString();
  const recipients = [{ emailAddress: address }];
  if (name === 'complaint') {
    const complaint = { complainedRecipients: recipients, timestamp, complaintFeedbackType: 'abuse' };
    return { type: 'complaint', event: { eventType: 'Complaint', mail, complaint } };
  }
  const bounceSubType = name === 'bounce' ? 'General' : 'Suppressed';
  const bounce = { bounceType: 'Permanent', bounceSubType, bouncedRecipients: recipients, timestamp };
  return { type: 'bounce', event: { eventType: 'Bounce', mail, bounce } };
};

const checkSender = ({ FromEmailAddress, ConfigurationSetName }: SendEmail, sending: Sending | undefined): void => {
  const from = addressOf(FromEmailAddress);
  if (!sending?.domains.includes(from.slice(from.lastIndexOf('@') + 1).toLowerCase()))
    throw new SesRefusal(
      'MessageRejected',
      `Email address is not verified. The following identities failed the check in region US-EAST-1: ${from}`,
    );
  if (ConfigurationSetName !== undefined && !sending.configurationSets.has(ConfigurationSetName))
    throw new SesRefusal('NotFoundException', `Configuration set <${ConfigurationSetName}> does not exist.`, 404);
};

/** Keeps a mail instead of sending it, and says what became of it as the mailbox simulator does. */
const takeMail = async (request: SendEmail, sending: Sending | undefined, mailbox: Mailbox): Promise<string> => {
  checkSender(request, sending);
  const { Destination, Content, FromEmailAddress, ReplyToAddresses, ConfigurationSetName = '' } = request;
  const { ToAddresses, CcAddresses, BccAddresses } = Destination;
  const { Subject, Body, Headers } = Content.Simple;
  const recipients = [...ToAddresses, ...CcAddresses, ...BccAddresses];
  const sentAt = new Date().toISOString();
  mailbox.add({
    to: recipients.map(shownMailbox).join(', '),
    from: shownMailbox(FromEmailAddress),
    replyTo: ReplyToAddresses.map(shownMailbox).join(', '),
    subject: Subject.Data,
    text: Body.Text?.Data ?? '',
    html: Body.Html?.Data ?? '',
    headers: Object.fromEntries(Headers.map(({ Name, Value }) => [Name, Value])),
    sentAt,
  });
  const messageId = randomUUID();
  const mail = { messageId, timestamp: sentAt, source: addressOf(FromEmailAddress), destination: recipients };
  for (const found of recipients.flatMap((one) => eventOf(addressOf(one), mail) ?? []))
    for (const { events, publish } of sending?.configurationSets.get(ConfigurationSetName) ?? [])
      if (events.some((event) => event.toLowerCase() === found.type)) await publish(JSON.stringify(found.event));
  return messageId;
};

/** Serves SES (API v2) as far as functions call it: SendEmail. What is sent is kept in a mailbox, in memory. */
export async function startMailServer(): Promise<MailServer> {
  const mailbox = createMailbox();
  let sending: Sending | undefined;
  const server = createServer(async (incoming, response) => {
    const respond = (status: number, body: object, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    try {
      const body = await buffer(incoming);
      if (incoming.method !== 'POST' || incoming.url !== sendEmailPath)
        throw new SesRefusal('UnknownOperationException', 'The local stack serves SendEmail alone', 404);
      respond(200, { MessageId: await takeMail(readSendEmail(body), sending, mailbox) });
    } catch (error) {
      const { type, status, message } =
        error instanceof SesRefusal ? error : { type: 'InternalFailure', status: 500, message: String(error) };
      respond(status, { message }, { 'x-amzn-errortype': type });
    }
  });
  const port = await listenOn(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    mailbox,
    serve: (deployed) => {
      sending = deployed;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
