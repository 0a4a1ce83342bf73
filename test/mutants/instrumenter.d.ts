/** What is used of the package, whose own types need more packages. */
declare module '@stryker-mutator/instrumenter' {
  interface Position {
    line: number;
    column: number;
  }

  export interface InstrumentedMutant {
    id: string;
    fileName: string;
    mutatorName: string;
    replacement: string;
    location: { start: Position; end: Position };
    status?: string;
  }

  type Level = 'Trace' | 'Debug' | 'Info' | 'Warn' | 'Error' | 'Fatal';
  export type Logger = Record<`is${Level}Enabled`, () => boolean> & Record<Lowercase<Level>, () => void>;

  export class Instrumenter {
    constructor(logger: Logger);
    instrument(
      files: readonly { name: string; content: string; mutate: boolean }[],
      options: { plugins: null; excludedMutations: string[]; ignorers: unknown[] },
    ): Promise<{ files: { name: string; content: string }[]; mutants: InstrumentedMutant[] }>;
  }
}
