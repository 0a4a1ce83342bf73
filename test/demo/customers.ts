/** Who buys in the demo. */
export interface Customer {
  name: string;
  email: string;
}

const names = [
  'Priya Sharma',
  'Jonas Weber',
  'Mei Tanaka',
  'Lucía Fernández',
  'Tom Becker',
  'Aisha Rahman',
  'Erik Nilsson',
  'Chloé Martin',
  'Mateo Rossi',
  'Hannah Schmidt',
  'Omar Haddad',
  'Sofia Novak',
  'Liam Murphy',
  'Yuki Sato',
  'Nadia Ivanova',
  'Peter Novotný',
  'Grace Kimani',
  'Daniel Costa',
  'Emma de Vries',
  'Ravi Patel',
];

const letters = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '.');

/** The same customers in every run, with emails that belong to it. */
export const customersOf = (suffix: string): Customer[] =>
  names.map((name) => ({ name, email: `${letters(name)}${suffix}@example.net` }));
