import ipaddr from 'ipaddr.js';

/** The addresses that count as one client: an IPv4 address, or the /64 of an IPv6 address, which is what one host is given. */
export const clientBlock = (sourceIp: string): string => {
  if (!ipaddr.isValid(sourceIp)) return 'unknown';
  // Also takes an IPv4 address out of its IPv6 form.
  const address = ipaddr.process(sourceIp);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
};
