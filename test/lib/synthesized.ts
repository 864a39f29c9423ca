import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import cdk from '../../cdk.json' with { type: 'json' };
import { buildStacks } from '../../lib/build-stacks.ts';
import { DataStack } from '../../lib/data-stack.ts';
import { readSettings } from '../../lib/settings.ts';

/** One resource of a template. */
export interface Resource {
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the template holds
  readonly properties: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly all: any;
}

export interface Synthesized {
  readonly data: Template;
  readonly service: Template;
  readonly stacks: ReturnType<typeof buildStacks>;
}

const made = new Map<string, Synthesized>();

/** Both stacks with these settings; bundled once a process. */
export function synthesize(settings: Readonly<Record<string, unknown>> = {}): Synthesized {
  const key = JSON.stringify(settings);
  const known = made.get(key);
  if (known) return known;
  const stacks = buildStacks(
    new App({ context: cdk.context }),
    readSettings((name) => settings[name]),
  );
  const synthesized = { stacks, data: Template.fromStack(stacks.data), service: Template.fromStack(stacks.service) };
  made.set(key, synthesized);
  return synthesized;
}

/** The data stack alone, which needs no bundles. */
export function synthesizeData(settings: Readonly<Record<string, unknown>> = {}): Template {
  const app = new App({ context: cdk.context });
  const read = readSettings((name) => settings[name]);
  return Template.fromStack(new DataStack(app, 'Data', read, {}));
}

export function resourcesOf(template: Template, type: string): readonly Resource[] {
  return Object.entries(template.findResources(type)).map(([id, all]) => ({ id, all, properties: all.Properties }));
}
