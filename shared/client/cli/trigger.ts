import { eventExamples } from './examples.at-build.ts';
import { forward, secretNotice } from './forward.ts';
import { clientOf } from './settings.ts';

export interface TriggerOptions {
  webhookId?: string;
  forwardTo?: string;
}

/** Has the service send a test to an endpoint, or sends an example of an event to an address of this machine. */
export const trigger = async (type: string, { webhookId, forwardTo }: TriggerOptions): Promise<void> => {
  const example = eventExamples.find((found) => found.type === type);
  if (!example) throw new TypeError(`There is no event ${type}. Types: ${eventExamples.map((e) => e.type).join(', ')}`);
  if ((webhookId === undefined) === (forwardTo === undefined)) throw new TypeError('Give --webhook-id or --forward-to');
  if (webhookId !== undefined) {
    const { webhooks } = clientOf(process.env);
    const fields = example.type === 'webhook.test' ? {} : { eventType: example.type };
    console.log(JSON.stringify(await webhooks.test(webhookId, fields), null, 2));
    return;
  }
  console.error(secretNotice());
  const { data, previousAttributes } = example;
  const event = { id: crypto.randomUUID(), type, timestamp: new Date().toISOString(), data, previousAttributes };
  const { line, isAccepted } = await forward(event, forwardTo ?? '');
  console.log(line);
  if (!isAccepted) process.exitCode = 1;
};
