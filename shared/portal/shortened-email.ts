/** `amara@shop.example` as `a…@s….example`: enough to recognize a customer, and too little to write to one. */
export const shortenedEmail = (email: string | null): string => {
  const [, local = '', domain = ''] = /^(.+)@(.+)$/.exec(email ?? '') ?? [];
  if (!domain) return 'Not known';
  const start = (text: string): string => ([...text].length > 2 ? ([...text][0] ?? '') : '');
  const name = domain.slice(0, domain.lastIndexOf('.'));
  return `${start(local)}…@${start(name)}…${domain.slice(domain.lastIndexOf('.'))}`;
};
