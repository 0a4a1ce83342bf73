import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { withApp } from './template-of.ts';

/** The template of a stack that holds what `build` makes, and what `build` returns. */
export const templateOfPart = <Part>(build: (stack: Stack) => Part): { template: Template; part: Part } =>
  withApp({ builtinCloudFormationValidation: false }, (app) => {
    const stack = new Stack(app, 'Part');
    const part = build(stack);
    return { template: Template.fromStack(stack), part };
  });
