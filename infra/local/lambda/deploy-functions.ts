import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Assembly } from '../template/assembly.ts';
import { propertiesOf, resourcesOf, type Scope } from '../template/template.ts';
import { createFunction, type LambdaFunction } from './function.ts';
import type { RequestsFirst } from './requests-first.ts';
import { functionArn } from './runtime.ts';
import { keepWarm } from './warm-runtimes.ts';

const functionProperties = z.object({
  Handler: z.string(),
  Role: z.string(),
  Timeout: z.coerce.number().int().min(1).max(900).default(3),
  MemorySize: z.coerce.number().int().min(128).max(10_240).default(128),
  Environment: z.object({ Variables: z.record(z.string(), z.coerce.string()) }).optional(),
  RecursiveLoop: z.enum(['Allow', 'Terminate']).default('Terminate'),
});

export interface FunctionsSettings {
  readonly assembly: Assembly;
  /** The name of a function by its logical id, for logs and `invoke`. */
  readonly functionName: (logicalId: string) => string;
  /** Where each function's output goes, into `<name>.log`. */
  readonly logFolder: string;
  /** Variables that a function gets beside the template's, its credentials among them. */
  readonly surroundings: (functionName: string, roleArn: string) => Readonly<Record<string, string>>;
  /** Puts secrets and local addresses where the template's variables only name them. */
  readonly fillIn: (variables: Readonly<Record<string, string>>) => Record<string, string>;
  /** Variables that win over the template's. */
  readonly overrides: Readonly<Record<string, string>>;
  readonly warn: (line: string) => void;
  readonly memory: FunctionMemory;
  readonly requestsFirst: RequestsFirst | undefined;
  readonly eventDelayMilliseconds: number;
}

/** How much memory functions may take beyond what they need. */
export interface FunctionMemory {
  /** How many functions stay loaded when they have nothing to do, of about 20 MB each. */
  readonly maxWarm: number;
  /** For what a function has made a moment ago: the more, the less often it is cleared of what is not needed any more. */
  readonly youngMegabytes: number;
  /** The same of functions that work in the background, on many records at a time. */
  readonly backgroundYoungMegabytes: number;
}
export const thriftyMemory: FunctionMemory = { maxWarm: 16, youngMegabytes: 8, backgroundYoungMegabytes: 32 };
export const ampleMemory: FunctionMemory = {
  maxWarm: Number.POSITIVE_INFINITY,
  youngMegabytes: 64,
  backgroundYoungMegabytes: 64,
};

/** The template's functions by name, none of them loaded yet; tells `scope` what they are. */
export function deployFunctions(scope: Scope, settings: FunctionsSettings): Map<string, LambdaFunction> {
  mkdirSync(settings.logFolder, { recursive: true });
  const functions = new Map<string, LambdaFunction>();
  const warmRuntimes = keepWarm(settings.memory.maxWarm);
  // The functions that queues and streams invoke, however the template refers to them.
  const mappings = JSON.stringify(
    resourcesOf(scope, 'AWS::Lambda::EventSourceMapping').map(({ resource }) => resource.Properties?.FunctionName),
  );
  for (const { logicalId, resource } of resourcesOf(scope, 'AWS::Lambda::Function')) {
    const name = settings.functionName(logicalId);
    if (functions.has(name)) throw new Error(`The template has two functions called ${name}.`);
    const properties = propertiesOf(functionProperties, resource, scope);
    checkEnvironment(name, properties.Environment?.Variables ?? {});
    const isBackground = settings.requestsFirst !== undefined && mappings.includes(JSON.stringify(logicalId));
    const { youngMegabytes, backgroundYoungMegabytes } = settings.memory;
    const target = createFunction({
      name,
      codeFolder: settings.assembly.codeFolder(logicalId),
      handler: properties.Handler,
      timeoutSeconds: properties.Timeout,
      memoryMegabytes: properties.MemorySize,
      youngMegabytes: isBackground ? backgroundYoungMegabytes : youngMegabytes,
      isBackground,
      requestsFirst: settings.requestsFirst,
      eventDelayMilliseconds: settings.eventDelayMilliseconds,
      mayLoop: properties.RecursiveLoop === 'Allow',
      environment: {
        ...settings.surroundings(name, properties.Role),
        ...settings.fillIn(properties.Environment?.Variables ?? {}),
        ...settings.overrides,
      },
      logFile: join(settings.logFolder, `${name}.log`),
      warn: settings.warn,
      warmRuntimes,
    });
    functions.set(name, target);
    scope.resources.set(logicalId, { reference: name, attributes: { Arn: functionArn(name) } });
  }
  return functions;
}

/** What a logical id of the CDK was made from, in kebab case: `ResizeImagesFunctionE095506F` is `resize-images`. */
export function nameFromLogicalId(logicalId: string): string {
  const telling = /^(.+?)(?:Function)?(?:[0-9A-F]{8})?$/.exec(logicalId)?.[1] ?? logicalId;
  return telling.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
}

/** As Lambda measures them: as JSON, all of a function together. */
const maxEnvironmentBytes = 4096;

function checkEnvironment(name: string, variables: Readonly<Record<string, string>>): void {
  const bytes = Buffer.byteLength(JSON.stringify(variables));
  if (bytes <= maxEnvironmentBytes) return;
  throw new Error(`The environment variables of ${name} have ${bytes} bytes, and Lambda takes ${maxEnvironmentBytes}.`);
}
