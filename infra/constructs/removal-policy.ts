import { RemovalPolicy } from 'aws-cdk-lib';
import type { Settings } from '../settings.ts';

/** What happens to what holds data. A resource that fails while it is first made is deleted: it holds nothing yet. */
export const removalPolicyOf = (settings: Settings): RemovalPolicy =>
  settings.removalPolicy === 'retain' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
