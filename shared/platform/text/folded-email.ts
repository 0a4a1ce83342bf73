export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase();

/** An email without what its owner can vary: what follows a plus, and dots. */
export const foldedEmail = (email: string): string => {
  const at = email.lastIndexOf('@');
  const [local = ''] = email.slice(0, at).toLowerCase().split('+');
  return `${local.replaceAll('.', '')}@${domainOf(email)}`;
};
