import ipaddr from 'ipaddr.js';

/** An IPv4 address or the /64 of an IPv6 address: what one host is given. */
export const clientBlock = (sourceIp: string): string => {
  if (!ipaddr.isValid(sourceIp)) return 'unknown';
  // Also converts IPv4-mapped IPv6 addresses.
  const address = ipaddr.process(sourceIp);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
};
