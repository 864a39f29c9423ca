import { App } from 'aws-cdk-lib';
import { buildStacks } from '../lib/build-stacks.ts';
import { readSettings } from '../lib/settings.ts';

const app = new App();
buildStacks(
  app,
  readSettings((name) => app.node.tryGetContext(name)),
);
