import { type App, Tags, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { DataStack } from './data-stack.ts';
import { ServiceStack } from './service-stack.ts';
import type { Settings } from './settings.ts';

/** The two stacks of one deployment, checked by cdk-nag whenever they are synthesized. */
export function buildStacks(
  app: App,
  settings: Settings,
): { readonly data: DataStack; readonly service: ServiceStack } {
  const prefix = settings.name.charAt(0).toUpperCase() + settings.name.slice(1);
  const account = process.env.CDK_DEFAULT_ACCOUNT;
  const region = settings.region ?? process.env.CDK_DEFAULT_REGION;
  const env = {
    ...(account === undefined ? {} : { account }),
    ...(region === undefined ? {} : { region }),
  };
  const data = new DataStack(app, `${prefix}Data`, settings, { env });
  const service = new ServiceStack(app, `${prefix}Service`, settings, data, { env });
  Tags.of(app).add('application', settings.name);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return { data, service };
}
