import { isBaseUrl, line, lines } from '../fields.ts';

/** A host may have characters that end a directive of a content security policy. */
const isPlainOrigin = ({ origin }: URL): boolean => /^https?:\/\/[a-z0-9.-]+(:\d+)?$/.test(origin);

const isLogoUrl = (line: string): boolean =>
  isBaseUrl(line) && new URL(line).protocol === 'https:' && isPlainOrigin(new URL(line));

export const logoUrl = line
  .max(2000)
  .refine(isLogoUrl, 'must be an absolute https URL without credentials')
  .overwrite((value) => (isLogoUrl(value) ? new URL(value).href : value));

const isOrigin = (line: string): boolean => {
  if (!isBaseUrl(line) || !isPlainOrigin(new URL(line))) return false;
  const { origin, href, protocol, hostname } = new URL(line);
  return href === `${origin}/` && (protocol === 'https:' || hostname === 'localhost');
};

export const originLines = lines
  .max(5000)
  .default('')
  .transform((lines) => lines.split(/\s+/).filter(Boolean))
  .superRefine((origins, context) => {
    const wrong = origins.find((origin) => !isOrigin(origin));
    const message =
      wrong === undefined
        ? 'may have at most 20 origins'
        : `contains ${wrong}, which is no https origin such as https://shop.example`;
    if (wrong !== undefined || origins.length > 20) context.addIssue({ code: 'custom', message });
  })
  .transform((origins) => [...new Set(origins.map((origin) => new URL(origin).origin))]);
