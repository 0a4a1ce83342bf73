import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { methodOf, nounOf, resourceOf } from '../../shared/client/names.ts';
import { thingOf, thingOfQuery } from '../../shared/contract/described-things.ts';
import type { Operation } from '../../shared/contract/operation.ts';
import { operations } from '../../shared/contract/operations.ts';
import { schemaOf } from '../../shared/http/openapi/schemas.ts';
import { isReference, type TypeWriter, typeWriter } from './type-text.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sourceFolder = `${root}shared/client/`;

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** What a list says of its selectors does not hold for the client's lists, which have none. */
const comment = ({ summary, description, selectors }: Operation): string =>
  `/** ${summary}.${description && !selectors ? ` ${description}` : ''} */\n`;

interface Named {
  /** Adds a declaration, unless there is one of the same type, and returns its name. */
  declare: (name: string, text: string) => string;
  nameOf: (text: string) => string | undefined;
  all: () => string;
}

const withoutComments = (text: string): string => text.replaceAll(/^\/\*\* .* \*\/\n/gm, '');

const namedTypes = (): Named => {
  const known = new Map<string, { name: string; text: string }>();
  const nameOf = (text: string) => known.get(withoutComments(text))?.name;
  return {
    declare: (name, text) => {
      if (!text.startsWith('{')) return text;
      const found = nameOf(text);
      if (found) return found;
      if ([...known.values()].some((other) => other.name === name)) throw new Error(`There are two types ${name}`);
      known.set(withoutComments(text), { name, text });
      return name;
    },
    nameOf,
    all: () => [...known.values()].map(({ name, text }) => `export interface ${name} ${text}\n`).join('\n'),
  };
};

interface Context {
  checker: ts.TypeChecker;
  writer: TypeWriter;
  named: Named;
}

const property = (checker: ts.TypeChecker, type: ts.Type, name: string): ts.Type => {
  const found = type.getProperty(name);
  if (!found) throw new Error(`The type of the client has no ${name}`);
  return checker.getTypeOfSymbol(found);
};

/** What a call returns at last: the record of a promise, or the item of a list. */
const returned = ({ checker, writer, named }: Context, type: ts.Type, operation: Operation): string => {
  const name = type.symbol?.name ?? '';
  const [inner] = isReference(type) ? checker.getTypeArguments(type) : [];
  if (!inner) return checker.typeToString(type);
  const isRecord = methodOf(operation) === 'get';
  const text = writer.write(inner, schemaOf(operation.response, 'output', { thing: thingOf(operation) }));
  return `${name}<${named.declare(isRecord ? nounOf(operation) : `${capitalized(operation.id)}Response`, text)}>`;
};

const method = (context: Context, resource: ts.Type, operation: Operation): string => {
  const { checker, writer, named } = context;
  const name = methodOf(operation);
  const schema = schemaOf(operation.body ?? operation.query, 'input', {
    thing: operation.body ? thingOf(operation) : thingOfQuery(operation),
  });
  const signatures = property(checker, resource, name)
    .getCallSignatures()
    .map((signature) => {
      const parameters = signature.getParameters().map((parameter) => {
        const isOptional =
          parameter.valueDeclaration && ts.isParameter(parameter.valueDeclaration)
            ? parameter.valueDeclaration.questionToken !== undefined
            : false;
        const type = checker.getTypeOfSymbol(parameter);
        const text = writer.write(isOptional ? checker.getNonNullableType(type) : type, schema);
        const declared = named.declare(`${capitalized(operation.id)}${capitalized(parameter.name)}`, text);
        return `${parameter.name}${isOptional ? '?' : ''}: ${declared}`;
      });
      return `${name}(${parameters.join(', ')}): ${returned(context, signature.getReturnType(), operation)};\n`;
    });
  return comment(operation) + signatures.join('');
};

/** The union of all events. Data that is no record of the API has a name of its own: `CouponEventData`. */
const eventText = ({ checker, writer, named }: Context, union: ts.Type): string => {
  const members = union.isUnion() ? union.types : [union];
  for (const member of members) {
    const [family = ''] = writer
      .write(property(checker, member, 'type'))
      .replaceAll('"', '')
      .split('.');
    const name = family.split('_').map(capitalized).join('');
    named.declare(`${name}EventData`, writer.write(property(checker, member, 'data')));
  }
  return writer.write(union);
};

const header = `import type { CsvOptions, RequestOptions } from './options.js';
import type { CsvPage, List } from './pages.js';

`;

/** The declarations of the client's surface: what the contract's types resolve to, without zod. */
const surfaceText = (checker: ts.TypeChecker, client: ts.Type, webhookEvent: ts.Type): string => {
  const named = namedTypes();
  const context = { checker, named, writer: typeWriter(checker, named.nameOf) };
  // Records first, so that every other type names them.
  for (const operation of operations)
    if (methodOf(operation) === 'get') method(context, property(checker, client, resourceOf(operation)), operation);
  const resources = [...Map.groupBy(operations, resourceOf)].map(([resource, own]) => {
    const methods = own.map((operation) => method(context, property(checker, client, resource), operation));
    return `${resource}: {\n${methods.join('')}};\n`;
  });
  const events = eventText(context, webhookEvent);
  const text = `${header}${named.all()}
export type WebhookEvent = ${events};

export interface Client {\n${resources.join('')}}\n`;
  return ts.createPrinter().printFile(ts.createSourceFile('surface.d.ts', text, ts.ScriptTarget.Latest));
};

const exportedType = (program: ts.Program, file: string, name: string): ts.Type => {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(sourceFolder + file);
  const module = source && checker.getSymbolAtLocation(source);
  const symbol = module && checker.getExportsOfModule(module).find((found) => found.name === name);
  if (!symbol) throw new Error(`${file} does not export ${name}`);
  return checker.getDeclaredTypeOfSymbol(symbol);
};

/** Declarations of modules that need no other module to be read. */
const writtenModules = ['index', 'client', 'errors', 'options', 'pages', 'response-info', 'webhooks'] as const;

const writtenDeclarations = (path: string): string => {
  const source = readFileSync(path, 'utf8');
  const { outputText } = ts.transpileDeclaration(source, { compilerOptions: { target: ts.ScriptTarget.ES2024 } });
  return outputText.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'");
};

/**
 * The declarations of the package, by file name. They import neither zod nor this repository: the types of the contract
 * are written out, with its descriptions as comments.
 */
export const clientDeclarations = (): Record<string, string> => {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const config = ts.getParsedCommandLineOfConfigFile(`${root}tsconfig.json`, {}, host);
  const program = ts.createProgram([`${sourceFolder}index.ts`], { ...config?.options, noEmit: true });
  const surface = surfaceText(
    program.getTypeChecker(),
    exportedType(program, 'surface.ts', 'Client'),
    exportedType(program, 'webhook-event.ts', 'WebhookEvent'),
  );
  const written = writtenModules.map((name) => [`${name}.d.ts`, writtenDeclarations(`${sourceFolder}${name}.ts`)]);
  return {
    ...Object.fromEntries(written),
    'browser.d.ts': writtenDeclarations(`${root}shared/web/tracking/browser.client.ts`),
    'surface.d.ts': surface,
    'webhook-event.d.ts': "export type { WebhookEvent } from './surface.js';\n",
  };
};
